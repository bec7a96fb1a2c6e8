#include "calibration/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/version.hpp>
#include <utility>

#include "base/fork_join.hpp"
#include "base/interrupt.hpp"
#include "base/median.hpp"
#include "base/text.hpp"
#include "calibration/calibration_plan.hpp"

namespace sparsecast::calibration {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

TimingOptions timing_options(const devices::Device& device, bool quick) {
  TimingOptions options;
  options.core_speed = device.properties().kind == DeviceKind::host;
  options.threads = device.threads();
  if (quick) {
    options.block_s = 0.0008;
    options.min_blocks = 5;
    options.max_blocks = 5;
    options.max_s = 0.05;
  } else {
    // Device events of a GPU repeat within 0.2 %; the host's clock sees every other process.
    options.target_spread = device.properties().kind == DeviceKind::host ? 0.005 : 0.002;
    options.block_s = 0.003;
    options.min_blocks = 5;
    options.max_blocks = 7;
    options.max_s = 0.15;
  }
  return options;
}

constexpr std::int64_t most_format_bytes = 256 << 20;

// The kernels of one step that still have no record.
std::vector<std::string> missing(const PlanStep& step, const Store& store, const devices::Device& device,
                                 Precision precision) {
  std::vector<std::string> kernels;
  for (const std::string& kernel : step.kernels)
    if (!store.has_record(device.properties().name, step.spec, kernel, precision, device.threads()))
      kernels.push_back(kernel);
  return kernels;
}

Timing timing_of(const Record& record) {
  return {record.seconds, 0, 0, record.spread, 0, record.step_s, record.launch_s};
}

// What starting so many threads took as a rule; 0 where no record tells.
double usual_launch(const std::vector<std::vector<Record>>& records, int threads) {
  std::vector<double> launches;
  for (const std::vector<Record>& of_matrix : records)
    for (const Record& record : of_matrix)
      if (record.threads == threads && record.launch_s > 0) launches.push_back(record.launch_s);
  return base::median(std::move(launches));
}

bool undisturbed(const std::vector<Record>& records, double usual) {
  std::vector<Timing> timings;
  std::ranges::transform(records, std::back_inserter(timings), timing_of);
  return undisturbed(std::span<const Timing>(timings), usual);
}

// Measures one matrix and keeps the records; of a kernel with a record of an earlier round, the less noisy one.
std::vector<Record> measure_step(devices::Device& device, Store& store, const MatrixSpec& spec,
                                 const std::vector<std::string>& kernels, const std::vector<Record>& earlier,
                                 const CalibrateOptions& options) {
  const Matrix matrix = generate(spec, device.threads());
  BenchmarkMatrix benchmark{spec, analyze(matrix, device.threads()), {}};
  std::vector<std::unique_ptr<devices::Product>> products;
  std::vector<devices::Product*> timed;
  std::vector<Record> records;
  for (const std::string& kernel : kernels) {
    base::throw_if_interrupted();
    // A format that is nearly all padding takes its time from the padding, which smaller ones have shown already.
    if (device.format_bytes(benchmark.structure, kernel, options.precision) > most_format_bytes) continue;
    std::unique_ptr<devices::Product> product;
    try {
      product = device.prepare(matrix, benchmark.structure, kernel, options.precision);
    } catch (const Error& error) {
      // A format that does not fit the device leaves a gap in the grid; any other failure (a lost device) ends the
      // work.
      if (error.code() != ErrorCode::too_large) throw;
      continue;
    }
    Record record;
    record.kernel = kernel;
    record.precision = options.precision;
    record.threads = device.threads();
    record.preprocess_s = product->preprocess_seconds();
    records.push_back(std::move(record));
    timed.push_back(product.get());
    products.push_back(std::move(product));
  }
  if (timed.empty()) return {};
  const std::vector<Timing> timings = time_interleaved(timed, timing_options(device, options.quick));
  const std::string taken = base::utc_now();
  for (std::size_t k = 0; k < records.size(); ++k) {
    records[k].seconds = timings[k].seconds;
    records[k].spread = timings[k].spread;
    records[k].step_s = timings[k].step_s;
    records[k].launch_s = timings[k].launch_s;
    records[k].taken = taken;
  }
  std::erase_if(records, [](const Record& record) { return !(record.seconds > 0); });
  for (Record& record : records)
    for (const Record& before : earlier)
      if (before.kernel == record.kernel && !less_noisy(timing_of(record), timing_of(before))) record = before;
  store.add_records(device.properties().name, benchmark, records);
  return records;
}

}  // namespace

std::string software_text() { return fmt::format("sparsecast {}, compiler {}", version_text, __VERSION__); }

namespace {

/// Error unavailable where they were asked for and the device has none.
int measure_missing_instructions(devices::Device& device, Store& store, const CalibrateOptions& options) {
  const std::string& name = device.properties().name;
  const std::optional<Profile> profile = store.profile(name);
  if (!options.only_instructions && profile && !profile->micro_benchmarks.empty()) return 0;
  if (options.progress) options.progress({0, -1, "instructions and memory"});
  const std::vector<MicroBenchmark> taken = device.measure_instructions(options.quick);
  if (taken.empty() && options.only_instructions)
    throw Error(ErrorCode::unavailable, "there are no micro-benchmarks of instructions for " + name, {},
                "they are for forecasts of GPU kernels on CUDA devices: --device cuda:0");
  store.add_micro_benchmarks(name, taken);
  return static_cast<int>(taken.size());
}

}  // namespace

CalibrationResult calibrate(devices::Device& device, Store& store, const CalibrateOptions& options) {
  const DeviceProperties& properties = device.properties();
  store.begin_profile(properties, software_text());
  CalibrationResult result;
  result.micro_benchmarks = measure_missing_instructions(device, store, options);
  if (options.only_instructions) return result;
  std::vector<PlanStep> plan =
      calibration_plan(with_threads(properties, device.threads()), device.kernels(), options.precision, options.quick);
  double work = 0;
  for (PlanStep& step : plan) {
    const std::size_t wanted = step.kernels.size();
    step.kernels = missing(step, store, device, options.precision);
    step.work *= static_cast<double>(step.kernels.size()) / static_cast<double>(wanted);
    result.present += static_cast<int>(wanted - step.kernels.size());
    work += step.work;
  }
  const std::optional<Profile> profile = store.profile(properties.name);
  const auto measure_curves = [&] {
    if (options.progress) options.progress({0, -1, "bandwidth and latency"});
    std::vector<Curve> curves;
    device.measure_curves(curves, options.quick);
    store.add_curves(properties.name, curves);
  };
  if (!profile || profile->curve("launch", device.threads()) == nullptr) measure_curves();

  // Two rounds, so that what runs beside at one of them does not stay in the profile (timing.hpp). A device has its
  // chip for itself, and a first look must be quick. Where both were disturbed, two more at most.
  const bool again = properties.kind == DeviceKind::host && !options.quick;
  const int rounds = again ? 2 : 1, most_rounds = again ? 4 : 1;
  const double start = now();
  double done = 0;
  std::vector<std::vector<Record>> records(plan.size());
  for (int round = 0; round < most_rounds; ++round) {
    const double usual = usual_launch(records, device.threads());
    for (std::size_t i = 0; i < plan.size(); ++i) {
      const PlanStep& step = plan[i];
      if (step.kernels.empty() || (round >= rounds && undisturbed(records[i], usual))) continue;
      base::throw_if_interrupted();
      const double elapsed = now() - start;
      if (options.max_s > 0 && elapsed > options.max_s) break;
      if (options.progress)
        options.progress(
            {std::min(1.0, done / (rounds * work)),
             done > 0 && done < rounds * work ? elapsed / done * (rounds * work - done) : -1,
             fmt::format("{} matrix, {} rows of {:.0f}", step.spec.kind, step.spec.rows, step.spec.row_length)});
      records[i] = measure_step(device, store, step.spec, step.kernels, records[i], options);
      if (round == 0) result.measured += static_cast<int>(records[i].size());
      done += step.work;
    }
  }
  // The curves are to speak of the same state as the records.
  const std::optional<Profile> measured = store.profile(properties.name);
  const Curve* launch = measured ? measured->curve("launch", device.threads()) : nullptr;
  const double usual = measured ? usual_launch({measured->records}, device.threads()) : 0;
  if (launch != nullptr && !launch->y.empty() && !same_fork_join(launch->y[0], usual) &&
      same_fork_join(base::fork_join_seconds(device.threads()), usual))
    measure_curves();
  if (options.progress) options.progress({1, 0, "calibrated"});
  return result;
}

}  // namespace sparsecast::calibration
