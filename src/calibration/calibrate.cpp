#include "calibration/calibrate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/version.hpp>

#include "base/clock.hpp"
#include "base/guard/parse_json.hpp"
#include "base/interrupt.hpp"
#include "base/machine/core_wait.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "calibration/conversion/conversion_timing.hpp"
#include "calibration/device_curves.hpp"
#include "calibration/plan/calibration_plan.hpp"
#include "calibration/plan/paper_grids.hpp"
#include "calibration/profile_json.hpp"
#include "calibration/rounds.hpp"
#include "calibration/staleness.hpp"
#include "fields/precision.hpp"
#include "fields/wording.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::calibration {
namespace {
// A format that is nearly all padding takes its time from the padding, which smaller ones have shown already. How large
// one may grow follows the memory, as the grids of the papers do: on a GPU of 80 GB longer rows of ELL are worth
// having.
std::int64_t most_format_bytes(const DeviceProperties& properties) {
  constexpr std::int64_t least = 256 << 20, most = std::int64_t{2} << 30;
  return properties.kind == DeviceKind::host ? least : std::clamp(properties.memory_bytes / 64, least, most);
}

// The kernels of one step that still have no record.
std::vector<std::string> missing(const PlanStep& step, const Store& store, const hardware::Device& device,
                                 Precision precision) {
  std::vector<std::string> kernels;
  for (const std::string& kernel : step.kernels)
    if (!store.has_record(device.properties().name, step.spec, kernel, precision, device.threads()))
      kernels.push_back(kernel);
  return kernels;
}

// One matrix in all the formats that it can be held in, each with the beginnings of its record.
struct Subject {
  Matrix matrix;
  BenchmarkMatrix benchmark;
  std::vector<std::unique_ptr<hardware::Product>> products;
  std::vector<Record> records;  // of products, in their order
};

// Conversions by kernel, which the first round times.
using Conversions = std::map<std::string, double>;

Structure analyzed_once(const Matrix& matrix, const MatrixSpec& spec, int threads, const CalibrateOptions& options) {
  if (!options.structures) return analyze(matrix, threads);
  const std::string key = base::json_text(spec_to_json(spec));
  const auto known = options.structures->find(key);
  if (known != options.structures->end()) return known->second;
  return options.structures->emplace(key, analyze(matrix, threads)).first->second;
}

// `conversions`: those known already are made without timing them again, the others are timed and added.
Subject prepare(hardware::Device& device, const MatrixSpec& spec, const std::vector<std::string>& kernels,
                const CalibrateOptions& options, Conversions& conversions, MemoryAtHand& memory) {
  const Precision precision = options.precision;
  // Five readings take longer than a quick calibration's products.
  const Readings unknown = options.quick ? Readings::one : Readings::several;
  Subject subject;
  subject.matrix = generate(spec, device.threads());
  subject.benchmark = {spec, analyzed_once(subject.matrix, spec, device.threads(), options), {}};
  for (const std::string& kernel : kernels) {
    base::throw_if_interrupted();
    if (!formats::refusal_of(kernel, subject.benchmark.structure).empty()) continue;
    if (device.format_bytes(subject.benchmark.structure, kernel, precision) > most_format_bytes(device.properties()))
      continue;
    try {
      Conversion conversion = convert_fresh(device, subject.matrix, subject.benchmark.structure, kernel, precision,
                                            memory, {}, conversions.contains(kernel) ? Readings::none : unknown);
      subject.products.push_back(std::move(conversion.product));
      conversions.try_emplace(kernel, conversion.seconds);
    } catch (const Error& error) {
      // A format that does not fit the device leaves a gap in the grid; any other failure (a lost device) ends the
      // work.
      if (error.code() != ErrorCode::too_large) throw;
      continue;
    }
    Record record;
    record.kernel = kernel;
    record.precision = precision;
    record.threads = device.threads();
    record.preprocess_s = conversions.at(kernel);
    subject.records.push_back(std::move(record));
  }
  return subject;
}

// Measures one matrix and stores the records that are kept, the less noisy ones of all rounds.
void measure_step(hardware::Device& device, Store& store, const PlanStep& step, const CalibrateOptions& options,
                  KeptTimes& kept, Conversions& conversions, MemoryAtHand& memory) {
  Subject subject = prepare(device, step.spec, step.kernels, options, conversions, memory);
  if (subject.products.empty()) return;
  std::vector<hardware::Product*> timed;
  for (const auto& product : subject.products) timed.push_back(product.get());
  const std::vector<Timing> timings = time_interleaved(timed, timing_options(device, options.quick));
  const std::string taken = base::utc_now();
  std::vector<Record> records;
  for (std::size_t k = 0; k < timings.size(); ++k) {
    if (!(timings[k].seconds > 0) || !kept.offer(subject.records[k].kernel, timings[k])) continue;
    Record& record = records.emplace_back(std::move(subject.records[k]));
    record.seconds = timings[k].seconds;
    record.spread = timings[k].spread;
    record.step_s = timings[k].step_s;
    record.launch_s = timings[k].launch_s;
    record.taken = taken;
  }
  store.add_records(device.properties().name, subject.benchmark, records);
  subject.products.clear();
  memory.give_back(base::now_s());
}

/// Error unavailable where they were asked for and the device has none.
int measure_missing_instructions(hardware::Device& device, Store& store, const CalibrateOptions& options) {
  const std::string& name = device.properties().name;
  const std::optional<Profile> profile = store.profile(name);
  if (!options.only_instructions && profile && !profile->micro_benchmarks.empty()) return 0;
  if (options.progress) options.progress({0, -1, "instructions and memory"});
  const std::vector<MicroBenchmark> taken = device.measure_instructions(options.quick);
  if (taken.empty() && options.only_instructions)
    throw Error(ErrorCode::unavailable, "there are no instruction micro-benchmarks for " + name, {},
                "they exist for CUDA devices, for forecasts of GPU kernels: " + wording::option("device", "cuda:0"));
  store.add_micro_benchmarks(name, taken);
  return static_cast<int>(taken.size());
}

// Takes from the plan what the store has already and returns how many records that were.
int leave_out_present(std::vector<PlanStep>& plan, const Store& store, const hardware::Device& device,
                      Precision precision) {
  int present = 0;
  for (PlanStep& step : plan) {
    const std::size_t wanted = step.kernels.size();
    step.kernels = missing(step, store, device, precision);
    step.work *= static_cast<double>(step.kernels.size()) / static_cast<double>(wanted);
    present += static_cast<int>(wanted - step.kernels.size());
  }
  return present;
}

// Records from before conversions were timed as users meet them get that time; the products are not timed again.
void measure_missing_conversions(hardware::Device& device, Store& store, const CalibrateOptions& options) {
  const std::string& name = device.properties().name;
  const std::optional<Profile> profile = store.profile(name);
  if (!profile) return;
  std::map<int, std::vector<Record>> missing;  // by matrix
  for (const Record& record : profile->records) {
    const formats::KernelInfo* kernel = formats::find_kernel(record.kernel);
    const bool borrows = device.properties().kind == DeviceKind::host && options.precision == Precision::double_ &&
                         kernel != nullptr && kernel->format == formats::csr_format;
    const bool made = profile->matrices[static_cast<std::size_t>(record.matrix)].spec.kind != "imported";
    if (record.preprocess_s == 0 && made && !borrows && record.precision == options.precision &&
        record.threads == device.threads())
      missing[record.matrix].push_back(record);
  }
  double done = 0;
  MemoryAtHand memory;
  for (auto& [number, records] : missing) {
    base::throw_if_interrupted();
    if (options.progress) options.progress({done++ / static_cast<double>(missing.size()), -1, "conversions"});
    const BenchmarkMatrix& benchmark = profile->matrices[static_cast<std::size_t>(number)];
    const Matrix matrix = generate(benchmark.spec, device.threads());
    for (Record& record : records)
      record.preprocess_s =
          convert_fresh(device, matrix, benchmark.structure, record.kernel, options.precision, memory).seconds;
    store.add_records(name, benchmark, records);
  }
}

// A quick calibration's first matrices once more after all others tell how far repeats scatter.
constexpr std::size_t looked_at_again = 5;

// Measures the plan in rounds (timing.hpp) and returns how many records were taken.
int measure_plan(const std::vector<PlanStep>& plan, hardware::Device& device, Store& store,
                 const CalibrateOptions& options) {
  const Rounds rounds = Rounds::on(device.properties(), options.quick || options.few);
  double work = 0, done = 0;
  for (const PlanStep& step : plan) work += (step.again == Again::never ? 1 : rounds.every) * step.work;
  const double start = base::now_s();
  std::vector<KeptTimes> kept(plan.size());
  std::vector<Conversions> conversions(plan.size());
  MemoryAtHand memory;
  std::size_t measured = 0;
  const bool host = device.properties().kind == DeviceKind::host;
  for (int round = 0; round < std::max(rounds.most, host ? 2 : 1); ++round) {
    const double usual = usual_fork_join(kept), spread = usual_spread(kept);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      const PlanStep& step = plan[i];
      const int most = step.again == Again::never ? 1 : step.again == Again::every_round ? rounds.every : rounds.most;
      const bool once_more = round == 1 && rounds.most == 1 && i < looked_at_again;
      const bool taken = once_more || (round < most && rounds.takes(round, kept[i], usual, spread));
      if (step.kernels.empty() || !taken) continue;
      base::throw_if_interrupted();
      const double elapsed = base::now_s() - start;
      if (options.max_s > 0 && elapsed > options.max_s) break;
      if (options.progress)
        options.progress(
            {std::min(1.0, done / work), done > 0 && done < work ? elapsed / done * (work - done) : -1,
             fmt::format("{} matrix, {} rows of {:.0f}", step.spec.kind, step.spec.rows, step.spec.row_length)});
      measure_step(device, store, step, options, kept[i], conversions[i], memory);
      if (round == 0) measured += kept[i].timings().size();
      done += step.work;
    }
    if (const double error = repeat_error(kept); round == 1 && error > 0)  // later rounds look at disturbed ones alone
      store.add_curves(device.properties().name, {repeat_curve(error, device.threads())});
  }
  return static_cast<int>(measured);
}
}  // namespace

TimingOptions timing_options(const hardware::Device& device, bool quick) {
  TimingOptions options;
  options.core_speed = runs_on_cores(device.properties());
  options.threads = device.threads();
  if (quick) {
    options.block_s = 0.0008;
    options.min_blocks = 5;
    options.max_blocks = 5;
    options.max_s = 0.005;  // three blocks of what takes longer
  } else {
    // Device events of a GPU repeat within 0.2 %; the host's clock sees every other process.
    options.target_spread = device.properties().kind == DeviceKind::host ? 0.005 : 0.002;
    options.block_s = 0.003;
    options.min_blocks = 5;
    options.max_blocks = 6;
    options.max_s = 0.15;
  }
  return options;
}

namespace {
// As the device is now; older records stay those of the microcode and driver that they were taken with.
DeviceProperties described_in(const Store& store, const DeviceProperties& now) try {
  const std::optional<Profile> before = store.profile(now.name);
  return before && !before->records.empty() ? measured_on(now, before->properties) : now;
} catch (const Error&) {
  return now;  // the description is damaged
}
}  // namespace

namespace {
// Keeps the share in which threads waited for cores, now or, where that was more, before.
void keep_wait(const hardware::Device& device, Store& store, const base::CoreWait& wait, double before) {
  if (!runs_on_cores(device.properties())) return;
  const double share = std::max(before, wait.share().value_or(0));
  store.add_curves(device.properties().name, {wait_curve(share, device.threads())});
}

// Whether there are records from before that moment, of which those that were taken since say nothing.
bool has_older(const Store& store, const hardware::Device& device, const std::string& begun) {
  const std::optional<Profile> profile = store.profile(device.properties().name);
  return profile && std::ranges::any_of(profile->records, [&](const Record& record) {
           return record.threads == device.threads() && record.taken < begun;
         });
}
}  // namespace

std::string software_text() { return fmt::format("sparsecast {}, compiler {}", version_text, __VERSION__); }

CalibrationResult calibrate(hardware::Device& device, Store& store, const CalibrateOptions& options) {
  const DeviceProperties& properties = device.properties();
  CalibrationResult result;
  result.damaged = store.begin_profile(described_in(store, properties), software_text());
  result.micro_benchmarks = measure_missing_instructions(device, store, options);
  if (options.only_instructions) return result;
  std::vector<std::string> kernels = device.kernels();
  if (is_complex(options.precision)) {
    if (properties.kind != DeviceKind::host)
      throw Error(
          ErrorCode::unavailable, "no GPU kernel of Sparsecast multiplies complex values", {properties.name},
          wording::format("omit {} or {}", wording::option("precision", options.precision), wording::option("device")));
    std::erase_if(kernels, [](const std::string& kernel) { return !formats::multiplies_complex(kernel); });
  }
  const DeviceProperties with_strips = with_threads(properties, device.threads());
  std::vector<PlanStep> plan =
      options.papers ? paper_grids(with_strips, kernels, options.precision)
                     : calibration_plan(with_strips, kernels, options.precision, options.quick || options.few);
  const std::vector<PlanStep> whole = plan;
  result.present = leave_out_present(plan, store, device, options.precision);
  const std::optional<Profile> before = store.profile(properties.name);
  const double waited_before = before ? wait_share(*before, device.threads()) : 0;
  const base::CoreWait wait;
  const std::string begun = base::utc_now();
  const double start = base::now_s();
  try {
    complete_curves(device, store, options);
    measure_missing_conversions(device, store, options);
    result.measured = measure_plan(plan, device, store, options);
    // Nothing is missing: what was taken while other programs had the cores is taken again.
    const bool time_left = !(options.max_s > 0) || base::now_s() - start < options.max_s;
    if (result.measured == 0 && time_left && before && taken_beside_others(*before, device.threads())) {
      renew_curves(device, store, options);
      result.present = 0;
      result.measured = measure_plan(whole, device, store, options);
    }
    match_curves(device, store, options);
  } catch (const Error&) {
    keep_wait(device, store, wait, waited_before);  // what was measured so far is kept
    throw;
  }
  if (result.measured > 0) keep_wait(device, store, wait, has_older(store, device, begun) ? waited_before : 0);
  if (options.progress) options.progress({1, 0, "calibrated"});
  return result;
}
}  // namespace sparsecast::calibration
