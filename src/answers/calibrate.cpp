// calibrate: phase one on a device, for every number of threads that forecasts need.

#include "calibration/calibrate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/answers/calibrate.hpp>
#include <sparsecast/error.hpp>

#include "answers/calibrate_on.hpp"
#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "base/interrupt.hpp"
#include "base/threads.hpp"

namespace sparsecast {
namespace {
// The host is measured with all its cores first, which is what is mostly asked for, then with one, then with powers of
// two between; forecasts for the rest lie between those (forecast/thread_counts.hpp).
std::vector<int> thread_settings(const CalibrateRequest& request) {
  if (request.device != "host") return {0};
  if (request.threads > 0) return {request.threads};
  const int all = base::available_cores();
  std::vector<int> counts = all > 1 ? std::vector{all, 1} : std::vector{1};
  for (int count = 2; count < all; count *= 2) counts.push_back(count);
  return counts;
}

// Records of another processor would stand beside the new ones. A description that is damaged is written anew.
void remark_changes_since(const calibration::Store& store, const CalibrateRequest& request) try {
  if (const std::optional<Profile> before = store.profile(request.device))
    answers::remark_changes(*before, request.listener);
} catch (const Error& damaged) {
  answers::tell(request.listener.remark, damaged.reason());
}

// Fits take seconds and are kept. What cannot be fitted is told by the question that needs it.
void keep_fits(const CalibrateRequest& request, const std::vector<int>& counts) try {
  const auto machine = answers::Machine::of(request.device, {}, request.listener, true);
  for (const int threads : counts)
    static_cast<void>(machine->models(
        "sparsecast", answers::fit_options(machine->profile(), request.precision, threads, request.listener)));
} catch (const Error& unfit) {
  if (unfit.code() == ErrorCode::interrupted) throw;
}
}  // namespace

Calibration calibrate(const CalibrateRequest& request) {
  const base::StopScope stop(request.listener.stop);
  calibration::Store store;
  if (request.fresh) store.forget_profile(request.device);
  remark_changes_since(store, request);
  Calibration total{.device = request.device, .precision = request.precision, .quick = request.quick};
  const std::vector<int> counts = thread_settings(request);
  for (const int threads : counts) {
    const std::unique_ptr<hardware::Device> device = hardware::open_device(request.device, threads);
    const calibration::CalibrationResult result =
        calibration::calibrate(*device, store,
                               {.quick = request.quick,
                                .few = threads > 1 && threads < counts.front(),
                                .only_instructions = request.only_instructions,
                                .precision = request.precision,
                                .max_s = 60 * request.minutes,
                                .progress = request.listener.progress});
    total.matrices = std::max(total.matrices, answers::calibrate_on(*device, store, request));
    total.measured += result.measured;
    total.present += result.present;
    total.micro_benchmarks += result.micro_benchmarks;
    if (result.damaged > 0)
      answers::tell(request.listener.remark,
                    fmt::format("{} damaged rows of the store were removed and measured again", result.damaged));
  }
  if (!request.only_instructions) keep_fits(request, counts);
  return total;
}
}  // namespace sparsecast
