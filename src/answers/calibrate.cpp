// calibrate: phase one on a device, for every number of threads that forecasts need.

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/answers/calibrate.hpp>
#include <sparsecast/error.hpp>

#include "answers/in_range.hpp"
#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "calibration/calibrate.hpp"
#include "calibration/device_curves.hpp"
#include "calibration/measure.hpp"
#include "calibration/rounds.hpp"
#include "fields/answers/calibrate.hpp"
#include "forecast/model_names.hpp"
#include "formats/kernels.hpp"
#include "planning/choice/observed_products.hpp"
#include "planning/run/plan_runner.hpp"

// A user's own matrices as benchmark matrices of a calibration.

namespace sparsecast::answers {
namespace {
// Formats beyond it are nearly all padding, whose time smaller ones have shown.
constexpr std::int64_t most_format_bytes = 256 << 20;

struct OwnMatrix {
  const MatrixInput* input = nullptr;
  BenchmarkMatrix benchmark;
  std::vector<double> features;
  double novelty = std::numeric_limits<double>::infinity();
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum);
}

void see(std::vector<OwnMatrix>& all, const std::vector<double>& measured) {
  for (OwnMatrix& one : all) one.novelty = std::min(one.novelty, distance(one.features, measured));
}

// The recipe names the pattern: the matrix itself stays the user's.
MatrixSpec spec_of(const Matrix& matrix) {
  return {
      .kind = "imported",
      .row_length = matrix.rows() > 0 ? static_cast<double>(matrix.nonzeros()) / static_cast<double>(matrix.rows()) : 0,
      .rows = matrix.rows(),
      .cols = matrix.cols(),
      .parameters = {.pattern = planning::pattern_checksum(matrix)}};
}

void measure_own(const OwnMatrix& own, hardware::Device& device, calibration::Store& store,
                 const CalibrateRequest& request) {
  const Matrix matrix = load_matrix(*own.input, request.threads, request.listener);
  const Structure& structure = own.benchmark.structure;
  std::vector<std::string> kernels;
  for (const std::string& kernel : device.kernels())
    if (formats::kernel_or_plain(kernel).variant_of.empty() && formats::refusal_of(kernel, structure).empty() &&
        device.format_bytes(structure, kernel, request.precision) <= most_format_bytes &&
        !store.has_record(device.properties().name, own.benchmark.spec, kernel, request.precision, device.threads()))
      kernels.push_back(kernel);
  const std::vector<calibration::Measurement> measured = calibration::measure_kernels(
      device, matrix, structure, kernels, request.precision, calibration::timing_options(device, request.quick));
  std::vector<Record> records;
  for (const calibration::Measurement& one : measured)
    if (one.timed() && one.timing.seconds > 0)
      records.push_back({.kernel = one.kernel,
                         .precision = one.precision,
                         .threads = one.threads,
                         .seconds = one.timing.seconds,
                         .spread = one.timing.spread,
                         .preprocess_s = one.preprocess_s.value_or(0),
                         .step_s = one.timing.step_s,
                         .launch_s = one.timing.launch_s,
                         .taken = one.taken});
  store.add_records(device.properties().name, own.benchmark, records);
  planning::ObservedProducts(matrix, device.properties().name, {.precision = request.precision}, device.threads(),
                             request.listener)
      .of(structure)
      .keep(measured, false, {}, request.listener);  // variants were not measured
}

// Measures the request's matrices on the device as its benchmark matrices are, those that are least like any measured
// before first; ends where request.minutes do. What the store has already is not measured again. Returns how many were
// measured.
int calibrate_on(hardware::Device& device, calibration::Store& store, const CalibrateRequest& request) {
  if (request.matrices.empty()) return 0;
  const double start = base::now_s();
  std::vector<OwnMatrix> left;
  for (const MatrixInput& input : request.matrices) {
    base::throw_if_interrupted();
    const Matrix matrix = load_matrix(input, request.threads, request.listener);
    OwnMatrix& own = left.emplace_back();
    own.input = &input;
    own.benchmark = {spec_of(matrix), analyze(matrix, request.threads), {}};
    own.features = calibration::features_of(own.benchmark.structure);
  }
  if (const std::optional<Profile> profile = store.profile(device.properties().name))
    for (const BenchmarkMatrix& known : profile->matrices) see(left, calibration::features_of(known.structure));
  int measured = 0;
  const auto all = static_cast<double>(left.size());
  while (!left.empty()) {
    base::throw_if_interrupted();
    if (request.minutes > 0 && base::now_s() - start > 60 * request.minutes) break;
    const auto next = std::ranges::max_element(left, {}, &OwnMatrix::novelty);
    const OwnMatrix own = *next;
    left.erase(next);
    if (request.listener.progress) request.listener.progress({measured / all, -1, own.benchmark.structure.name});
    measure_own(own, device, store, request);
    see(left, own.features);
    ++measured;
  }
  return measured;
}
}  // namespace
}  // namespace sparsecast::answers

namespace sparsecast {
namespace {
// The host is measured with all its cores first, which is what is mostly asked for, then with one, then with powers of
// two between; forecasts for the rest lie between those (forecast/task_forecast.hpp).
std::vector<int> thread_settings(const CalibrateRequest& request) {
  if (request.device != "host") return {0};
  if (request.threads > 0) return {request.threads};
  const int all = base::available_cores();
  std::vector<int> counts = all > 1 ? std::vector{all, 1} : std::vector{1};
  for (int count = 2; count < all; count *= 2) counts.push_back(count);
  return counts;
}

// Nothing where its description is damaged, which is then written anew.
std::optional<Profile> profile_before(const calibration::Store& store, const CalibrateRequest& request) try {
  return store.profile(request.device);
} catch (const Error& damaged) {
  answers::remark(request.listener, damaged.reason_text());
  return std::nullopt;
}

// Records of another processor would stand beside the new ones and be taken for this one's.
void refuse_another_processor(const calibration::Store& store, const CalibrateRequest& request) {
  const std::optional<Profile> before = profile_before(store, request);
  if (!before) return;
  const std::string then = before->properties.model, now = hardware::open_device(request.device)->properties().model;
  if (before->records.empty() || then.empty() || then == now) {
    return;  // what has changed is told once that is measured which is missing
  }
  throw Error(ErrorCode::failed,
              fmt::format("what was measured of {} is of another processor: {}, now {}", request.device, then, now), {},
              wording::format("{} discards it, {} keeps it in a file; or set SPARSECAST_HOME to another folder",
                              wording::ask("calibrate", {{"device", request.device}, {"fresh", true}}),
                              wording::ask("export_profile",
                                           {{"profile", request.device}, {"file", wording::placeholder("FILE")}})));
}

// Curves of several threads that waited for another program are known by those of one thread, which come later.
void repeat_disturbed_curves(calibration::Store& store, const CalibrateRequest& request,
                             const std::vector<int>& counts) {
  const std::optional<Profile> profile = store.profile(request.device);
  for (const int threads : counts)
    if (profile && calibration::waited_for_cores(*profile, threads))
      calibration::complete_curves(*hardware::open_device(request.device, threads), store,
                                   {.quick = request.quick, .progress = request.listener.progress});
}

// Fits take seconds and are kept. What cannot be fitted is told by the question that needs it.
void keep_fits(const CalibrateRequest& request, const std::vector<int>& counts) try {
  const auto machine = answers::Machine::of(request.device, {}, request.listener, true);
  double repeats = 0;
  for (const int threads : counts) {
    static_cast<void>(machine->models(
        forecast::own_model, answers::fit_options(machine->profile(), request.precision, threads, request.listener)));
    repeats = std::max(repeats, calibration::repeat_error(machine->profile(), threads));
  }
  answers::remark_changes(machine->profile(), request.listener);
  answers::remark_repeats(repeats, request.listener);
} catch (const Error& unfit) {
  if (unfit.code() == ErrorCode::interrupted) throw;
}
}  // namespace

Calibration calibrate(const CalibrateRequest& request) {
  const base::StopScope stop(request.listener.stop);
  answers::require_in_range(request);
  calibration::Store store;
  if (request.fresh) store.forget_profile(request.device);
  refuse_another_processor(store, request);
  Calibration total{.device = request.device, .precision = request.precision, .quick = request.quick};
  const std::vector<int> counts = thread_settings(request);
  const auto structures = std::make_shared<std::map<std::string, Structure>>();
  for (const int threads : counts) {
    const std::unique_ptr<hardware::Device> device = hardware::open_device(request.device, threads);
    const calibration::CalibrationResult result =
        calibration::calibrate(*device, store,
                               {.quick = request.quick,
                                .few = threads > 1 && threads < counts.front(),
                                .only_instructions = request.only_instructions,
                                .papers = request.papers,
                                .precision = request.precision,
                                .max_s = 60 * request.minutes,
                                .progress = request.listener.progress,
                                .structures = structures});
    total.matrices = std::max(total.matrices, answers::calibrate_on(*device, store, request));
    total.measured += result.measured;
    total.present += result.present;
    total.micro_benchmarks += result.micro_benchmarks;
    if (result.damaged > 0)
      answers::tell(request.listener.remark,
                    fmt::format("{} damaged rows of the store were removed and measured again", result.damaged));
  }
  if (request.only_instructions) return total;
  repeat_disturbed_curves(store, request, counts);
  keep_fits(request, counts);
  return total;
}
}  // namespace sparsecast
