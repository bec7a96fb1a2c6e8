// measure: every kernel of a device timed in turns on a matrix.

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/answers/measure.hpp>
#include <sparsecast/error.hpp>

#include "answers/in_range.hpp"
#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "calibration/measure.hpp"
#include "calibration/store.hpp"
#include "fields/answers/measure.hpp"
#include "fields/wording.hpp"
#include "forecast/model_names.hpp"
#include "forecast/record_choice.hpp"
#include "forecast/task_forecast.hpp"
#include "planning/choice/observed_products.hpp"
#include "planning/run/measured_powers.hpp"

namespace sparsecast {
namespace {
// By the device's profile; none where nothing was measured there.
std::vector<Forecast> forecasts_of(const MeasureRequest& request, const Structure& structure,
                                   const std::vector<std::string>& kernels) {
  const std::vector<std::string> profiles = answers::kept_profile_names();
  if (request.device != "host" && std::ranges::find(profiles, request.device) == profiles.end()) return {};
  const std::shared_ptr<answers::Machine> machine = answers::Machine::of(request.device, {}, request.listener);
  const FitOptions fit =
      answers::fit_options(machine->profile(), request.product.precision, request.threads, request.listener);
  if (!forecast::has_records(machine->profile(), fit)) return {};
  return forecast::TaskForecast(machine->profile(), fit, request.product)
      .of(machine->models(forecast::own_model, fit)->best(structure, kernels), structure);
}

// Takes the kernels that are forecast far behind the best from `kernels`, and says so in `times`.
void skip_far_behind(const std::vector<Forecast>& forecasts, std::vector<std::string>& kernels,
                     std::vector<KernelTime>& times, Voice voice) {
  for (const Forecast& slow : forecast::far_behind(forecasts)) {
    std::erase(kernels, slow.kernel);
    KernelTime& one = times.emplace_back();
    one.kernel = slow.kernel;
    one.status = wording::format("skipped: forecast {}, {:.0f} times as long as {}; {} measures it",
                                 base::format_seconds(slow.seconds), slow.seconds / forecasts.front().seconds,
                                 forecasts.front().kernel, wording::option("measure.every", true))
                     .in(voice);
  }
}

// A kernel that is named twice would be compared with itself.
std::vector<std::string> each_once(const std::vector<std::string>& kernels) {
  std::vector<std::string> out;
  for (const std::string& kernel : kernels)
    if (std::ranges::find(out, kernel) == out.end()) out.push_back(kernel);
  return out;
}

KernelTime time_of(const calibration::Measurement& m, const MeasureRequest& request) {
  KernelTime time{.kernel = m.kernel,
                  .preprocess_s = m.preprocess_s,
                  .repeats = m.timing.repeats,
                  .spread = m.timing.spread,
                  .status = m.status()};
  const bool timed = m.timed();
  if (timed) {
    time.seconds = m.timing.seconds;
    time.low_s = m.timing.low_s;
    time.high_s = m.timing.high_s;
    const double flops =
        flops_of(m.precision) * static_cast<double>(m.nonzeros) * static_cast<double>(request.product.vectors);
    time.gflops = m.timing.seconds > 0 ? 1e-9 * flops / m.timing.seconds : 0;
  }
  if (request.iterations > 0 && timed && m.preprocess_s)
    time.total_s = *m.preprocess_s + static_cast<double>(request.iterations) * m.timing.seconds;
  return time;
}

// By the plan for them, beside as many products of the kernel that was measured to be the fastest.
MeasuredPowers powers_of(const MeasureRequest& request, const Matrix& matrix, const std::vector<KernelTime>& times) {
  const KernelTime* fastest = nullptr;
  for (const KernelTime& one : times)
    if (one.seconds && (fastest == nullptr || *one.seconds < *fastest->seconds)) fastest = &one;
  PlanRequest wanted{.matrix = matrix, .device = request.device};
  wanted.precision = request.product.precision;
  wanted.threads = request.threads;
  wanted.powers = request.powers;
  wanted.no_store = request.no_store;
  wanted.listener = request.listener;
  const Plan powers = plan(wanted);
  wanted.powers = 0;
  if (request.device == "host" && fastest != nullptr) wanted.kernel = fastest->kernel;
  return planning::measure_powers(powers, plan(wanted));
}
}  // namespace

MeasuredTimes measure(const MeasureRequest& asked_for) {
  MeasureRequest request = asked_for;
  const base::StopScope stop(request.listener.stop);
  answers::require_in_range(asked_for);
  const std::unique_ptr<hardware::Device> device = hardware::open_device(request.device, request.threads);
  const Matrix matrix = load_matrix(request.matrix, request.threads, request.listener);
  const Structure structure = analyze(matrix, request.threads);
  if (matrix.is_complex()) request.product.precision = complex_of(request.product.precision);
  MeasuredTimes answer{.matrix = answers::size_of(structure),
                       .device = answers::name_of(device->properties()),
                       .product = request.product};
  std::vector<std::string> kernels = request.kernels.empty() ? device->kernels() : each_once(request.kernels);
  std::vector<KernelTime> skipped;
  const std::vector<Forecast> forecasts = forecasts_of(request, structure, kernels);
  if (!request.every && request.kernels.empty()) skip_far_behind(forecasts, kernels, skipped, request.listener.voice);
  const ProductKind& task = request.product;
  std::optional<calibration::Store> store = answers::store_to_keep_in(request.listener);
  const std::vector<calibration::Measurement> measured =
      calibration::measure_kernels(*device, matrix, structure, kernels, request.product.precision, {}, task);
  if (!request.no_store)
    planning::ObservedProducts(matrix, request.device, task, device->threads(), request.listener)
        .of(structure)
        .keep(measured, request.kernels.empty(), forecasts, request.listener);
  for (const calibration::Measurement& one : measured) {
    if (task.plain() && store) store->add_measurement(one);
    answer.measurements.push_back(time_of(one, request));
  }
  std::ranges::move(skipped, std::back_inserter(answer.measurements));
  std::ranges::stable_sort(answer.measurements, {}, [&](const KernelTime& one) {
    return (request.iterations > 0 ? one.total_s : one.seconds).value_or(std::numeric_limits<double>::infinity());
  });
  if (request.powers > 0) answer.powers = powers_of(request, matrix, answer.measurements);
  return answer;
}
}  // namespace sparsecast
