#include "answers/calibrate_on.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "answers/inputs.hpp"
#include "answers/memory.hpp"
#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "calibration/calibrate.hpp"
#include "calibration/measure.hpp"
#include "formats/kernels.hpp"
#include "plan/run/plan_runner.hpp"

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
      .parameters = nlohmann::json{{"pattern", planning::pattern_checksum(matrix)}}.dump()};
}

void measure_own(const OwnMatrix& own, hardware::Device& device, calibration::Store& store,
                 const CalibrateRequest& request) {
  const Matrix matrix = matrix_of(*own.input, request.threads, request.listener);
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
    if (one.status == "ok" && one.timing.seconds > 0)
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
  Memory(matrix, device.properties().name, {.precision = request.precision}, device.threads(), request.listener)
      .of(structure)
      .keep(measured, false, {}, request.listener);  // variants were not measured
}
}  // namespace

int calibrate_on(hardware::Device& device, calibration::Store& store, const CalibrateRequest& request) {
  if (request.matrices.empty()) return 0;
  const double start = base::now_s();
  std::vector<OwnMatrix> left;
  for (const MatrixInput& input : request.matrices) {
    base::throw_if_interrupted();
    const Matrix matrix = matrix_of(input, request.threads, request.listener);
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
}  // namespace sparsecast::answers
