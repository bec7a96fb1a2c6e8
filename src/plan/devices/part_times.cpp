#include "plan/devices/part_times.hpp"

#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "devices/device.hpp"
#include "forecast/machines/ranking.hpp"
#include "formats/kernels.hpp"
#include "plan/run/row_range.hpp"
#include "plan/run/turns.hpp"
#include "plan/search/numbers.hpp"

namespace sparsecast::planning {
namespace {

// A device is tried on an eighth of the rows, but enough of them that it is not the start alone that is seen.
constexpr std::int64_t trial_share = 8, least_trial_rows = 4096;
constexpr int trial_runs = 3;

double entries_of(const Matrix& rows) { return number(rows.nonzeros() + rows.rows()); }

// Kernels that read CSR as it is: no padding can make them too large.
std::vector<std::string> kernels_to_try(const devices::Device& device) {
  std::vector<std::string> names = device.kernels();
  std::erase_if(names, [](const std::string& name) {
    const formats::KernelInfo* kernel = formats::find_kernel(name);
    return kernel == nullptr || kernel->vendor || kernel->format != formats::csr_format;
  });
  return names;
}

}  // namespace

PartForecast::PartForecast(const SplitDevice& device, const Matrix& matrix, const FitOptions& options)
    : name_(device.name), options_(options) {
  if (device.profile) {
    kind_ = device.profile->properties.kind;
    memory_bytes_ = number(device.profile->properties.memory_bytes);
    if (kind_ != DeviceKind::host) options_.threads = 0;
    models_ = std::make_unique<forecast::ModelSet>("best", *device.profile, options_);
    kernels_ = forecast::kernels_of(*device.profile);
  }
  if (device.here && device.name == "host") {
    on_the_processor_ = true;
  } else if (device.here) {
    try_out(matrix);
  } else if (kind_ != DeviceKind::host) {
    bytes_per_s_ = forecast::upload_rate;
  }
}
PartForecast::~PartForecast() = default;
PartForecast::PartForecast(PartForecast&&) noexcept = default;
PartForecast& PartForecast::operator=(PartForecast&&) noexcept = default;

void PartForecast::try_out(const Matrix& matrix) {
  const std::unique_ptr<devices::Device> device = devices::open_device(name_);
  kind_ = device->properties().kind;
  on_the_processor_ = device->properties().limits.contains("host_processor");
  const std::int64_t wanted = std::max(least_trial_rows, matrix.rows() / trial_share);
  const Matrix rows = row_range(matrix, 0, std::min(matrix.rows(), wanted));
  const Structure structure = analyze(rows);
  const std::vector<double> x = vector_for_checks(matrix.cols());
  const std::vector<std::string> kernels =
      models_ ? std::vector<std::string>{forecast(rows).kernel} : kernels_to_try(*device);
  double least = never;
  for (const std::string& kernel : kernels) {
    const std::unique_ptr<devices::Product> product = device->prepare(rows, structure, kernel, options_.precision);
    (void)product->run(1);
    const double seconds = product->run(trial_runs) / trial_runs;
    if (seconds >= least) continue;
    least = seconds;
    timed_kernel_ = kernel;
    double there_and_back = never;
    for (int run = 0; run < trial_runs; ++run) {
      const double start = base::now_s();
      (void)product->multiply(x);
      there_and_back = std::min(there_and_back, base::now_s() - start);
    }
    const double bytes = number(value_bytes(options_.precision)) * number(rows.rows() + rows.cols());
    bytes_per_s_ = bytes / std::max(1e-9, there_and_back - seconds);
  }
  if (timed_kernel_.empty()) throw Error(ErrorCode::unavailable, name_ + " has no kernel that reads CSR");
  seconds_of_entry_ = least / std::max(1.0, entries_of(rows));
}

PartTime PartForecast::forecast(const Matrix& rows) const {
  const Structure structure = analyze(rows, options_.threads);
  for (const Forecast& best : models_->best(structure, kernels_)) {
    if (memory_bytes_ > 0 && number(best.bytes.value_or(0)) > memory_bytes_ / 2) continue;
    return {best.kernel, best.seconds, 0};
  }
  throw Error(ErrorCode::failed, "no kernel of " + name_ + " can be forecast for " + rows.name(), {},
              "calibrate the device fully");
}

PartTime PartForecast::of(const Matrix& rows) const {
  PartTime time = models_ ? forecast(rows) : PartTime{timed_kernel_, seconds_of_entry_ * entries_of(rows), 0};
  if (bytes_per_s_ > 0)
    time.transfer_s = number(value_bytes(options_.precision)) * number(rows.cols() + rows.rows()) / bytes_per_s_;
  return time;
}

}  // namespace sparsecast::planning
