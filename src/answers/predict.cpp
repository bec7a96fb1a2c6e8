// predict: forecasts of every kernel for one number of threads, or for the fastest one.

#include <fmt/format.h>
#include <sparsecast/error.hpp>
#include <sparsecast/threads.hpp>

#include "answers/in_range.hpp"
#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "answers/requested_device.hpp"
#include "base/curve.hpp"
#include "base/interrupt.hpp"
#include "calibration/rounds.hpp"
#include "calibration/timing.hpp"
#include "fields/answers/predict.hpp"
#include "fields/wording.hpp"
#include "forecast/memory_fit.hpp"
#include "forecast/model_names.hpp"
#include "forecast/record_choice.hpp"
#include "forecast/task_forecast.hpp"
#include "forecast/thread_counts.hpp"
#include "formats/kernels.hpp"
#include "planning/choice/choose.hpp"
#include "planning/choice/observed_products.hpp"

namespace sparsecast {
namespace {
using answers::Machine;

// Threads beyond those that come so near to the fastest are worth more elsewhere.
constexpr double near_the_fastest = 1.05;

// Of what a profile tells of, what is asked for; everything where nothing is named.
std::vector<std::string> wanted_of(std::vector<std::string> kernels, const std::vector<std::string>& named) {
  if (!named.empty())
    std::erase_if(kernels, [&](const std::string& kernel) { return std::ranges::find(named, kernel) == named.end(); });
  return kernels;
}

// The models of a machine for one number of threads, and what they say of a matrix.
class Forecaster {
 public:
  Forecaster(const PredictRequest& request, Machine& machine, int threads,
             const planning::ObservedProducts* observed = nullptr)
      : request_(request),
        device_(machine.profile().properties),
        observed_(observed),
        fit_(answers::fit_options(machine.profile(), request.product.precision, request.threads, request.listener,
                                  request.places)),
        kernels_(wanted_of(forecast::kernels_of(machine.profile(), request.model), request.kernels)) {
    if (threads > 0 && fit_.threads > 0) fit_.threads = threads;
    models_ = machine.models(request.model, fit_);
    task_.emplace(machine.profile(), fit_, request.product);
  }

  [[nodiscard]] const FitOptions& fit() const { return fit_; }

  // What is asked for, ranked by what finishes first.
  [[nodiscard]] std::vector<Forecast> forecasts(const Structure& s) const {
    std::vector<Forecast> all = request_.model == "all" ? told(task_->of(models_->all(s, kernels_), s), s) : best(s);
    if (request_.iterations <= 0) return all;
    for (Forecast& one : all) one.total_s = total_seconds(one, request_.iterations);
    constexpr double last = std::numeric_limits<double>::infinity();
    std::ranges::stable_sort(
        all, {}, [&](const Forecast& one) { return std::pair(one.beyond.has_value(), one.total_s.value_or(last)); });
    return all;
  }
  [[nodiscard]] Recommendation recommended(const Structure& s) const { return recommend(best(s), request_.iterations); }
  [[nodiscard]] ThreadCount count(const Structure& s) const {
    const std::vector<Forecast> all = best(s);
    const Recommendation chosen = recommend(all, request_.iterations);
    const auto of = std::ranges::find(all, chosen.kernel, &Forecast::kernel);
    if (of == all.end()) return {fit_.threads, chosen.kernel, chosen.seconds, chosen.seconds, 0};
    const double total =
        request_.iterations > 0 ? total_seconds(*of, request_.iterations).value_or(of->seconds) : of->seconds;
    return {fit_.threads, of->kernel, of->seconds, total, of->gflops};
  }

 private:
  [[nodiscard]] std::vector<Forecast> best(const Structure& s) const {
    std::vector<Forecast> all = task_->of(models_->best(s, kernels_), s);
    if (observed_ != nullptr) observed_->apply(all);
    return told(std::move(all), s);
  }
  [[nodiscard]] std::vector<Forecast> told(std::vector<Forecast> all, const Structure& s) const {
    forecast::tell_what_fits(all, device_, s, request_.product.precision, request_.product.vectors);
    return all;
  }

  const PredictRequest& request_;
  const DeviceProperties& device_;
  const planning::ObservedProducts* observed_;  // with that number of threads; none
  FitOptions fit_;
  std::vector<std::string> kernels_;
  std::shared_ptr<const forecast::ModelSet> models_;
  std::optional<forecast::TaskForecast> task_;
};

std::vector<int> counts_to_try(const PredictRequest& request, const Profile& profile) {
  if (profile.properties.kind != DeviceKind::host)
    throw Error(ErrorCode::usage,
                wording::format("{} compares threads of a host, and {} is none",
                                wording::option("choose_threads", true), profile.name),
                {}, "omit it");
  if (!profile.is_measured()) return forecast::counts_to_compare({1, profile.properties.compute_units});
  std::vector<int> measured = forecast::measured_counts(
      profile, answers::fit_options(profile, request.product.precision, request.threads, request.listener));
  // A profile's file may be of a machine with more cores.
  std::erase_if(measured, [&](int count) { return request.profile.empty() && count > available_cores(); });
  std::vector<int> counts = forecast::counts_to_compare(measured);
  if (counts.empty()) counts.push_back(default_threads());  // which says what is missing
  return counts;
}

// What was measured here counts where the product's own models are asked of what was measured here.
planning::ObservedProducts observed_of(const PredictRequest& request, const Profile& profile, const Matrix& matrix,
                                       const Structure& structure, const FitOptions& fit) {
  const bool own = forecast::asks_own(request.model);
  if (request.no_store || !own || !request.profile.empty()) return {};
  return planning::observed_here(matrix, structure, profile, fit, request.product, request.listener);
}

void choose_threads(const PredictRequest& request, Machine& machine, const answers::MatrixAndStructure& input,
                    const FitOptions& asked, Prediction& prediction) {
  for (const int threads : counts_to_try(request, machine.profile())) {
    FitOptions counted = asked;
    counted.threads = threads;
    const auto observed = observed_of(request, machine.profile(), input.matrix, input.structure, counted);
    if (ThreadCount count = Forecaster(request, machine, threads, &observed).count(input.structure);
        !count.kernel.empty())
      prediction.thread_counts.push_back(std::move(count));
  }
  const std::vector<ThreadCount>& counts = prediction.thread_counts;
  if (counts.empty()) return;  // of none of them is anything known
  const ThreadCount& fastest = *std::ranges::min_element(counts, {}, &ThreadCount::total_s);
  prediction.threads = fastest.threads;
  prediction.enough_threads = std::ranges::find_if(counts, [&](const ThreadCount& count) {
                                return count.total_s <= near_the_fastest * fastest.total_s;
                              })->threads;
}

// Kernels that the matrix has the structure for and that the profile, older than they are, knows nothing of.
std::vector<std::string> not_measured(const Structure& structure, const Profile& profile, const FitOptions& fit) {
  std::vector<std::string> names;
  if (profile.properties.kind != DeviceKind::host || !profile.is_measured() || forecast::is_shipped(profile, fit))
    return names;
  const forecast::RecordSet from = forecast::records_for(profile, fit);
  for (const formats::KernelInfo& kernel : formats::kernel_table()) {
    const auto is_of_it = [&](const Record& record) {
      return record.kernel == kernel.name && record.precision == from.precision && record.threads == from.threads;
    };
    if (kernel.on_host && kernel.refusal != nullptr && kernel.variant_of.empty() && kernel.refusal(structure).empty() &&
        std::ranges::none_of(profile.records, is_of_it))
      names.emplace_back(kernel.name);
  }
  return names;
}

// Bytes/s that the device reads of so large a footprint: measured where its profile has the curve, else as described.
double read_rate(const Profile& profile, int threads, double footprint_bytes) {
  const Curve* curve = profile.curve("read_bandwidth", threads);
  return curve != nullptr && base::usable(*curve) ? base::value_at(*curve, footprint_bytes)
                                                  : profile.properties.memory_bandwidth;
}

double streamed_bytes(const Prediction& prediction) {
  double bytes = 0;
  const auto chosen = std::ranges::find(prediction.forecasts, prediction.recommended.kernel, &Forecast::kernel);
  if (chosen == prediction.forecasts.end()) return bytes;
  for (const ForecastPart& part : chosen->parts)
    if (part.term == Term::stream) bytes += part.bytes;
  return bytes;
}

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

// Kernels that were asked for by name and have no forecast are named in turn. Error usage for a name that nobody knows.
void remark_missing(const PredictRequest& request, const Profile& profile, const std::vector<Forecast>& forecasts) {
  std::vector<std::string> missing;
  for (const std::string& kernel : request.kernels) {
    const auto is_it = [&](const auto& one) { return one.kernel == kernel; };
    if (std::ranges::any_of(forecasts, is_it)) continue;
    if (formats::find_kernel(kernel) == nullptr && std::ranges::none_of(profile.records, is_it))
      throw Error(ErrorCode::usage, fmt::format("there is no kernel '{}'", kernel), {},
                  fmt::format("{} has: {}", profile.name, joined(forecast::kernels_of(profile, request.model))));
    missing.push_back(kernel);
  }
  if (!missing.empty())
    answers::remark(request.listener,
                    wording::format("no forecast of {} for this matrix on {}", joined(missing), profile.name));
}

// What is recommended fits where anything does.
void remark_memory(const PredictRequest& request, const DeviceProperties& device, const Structure& s,
                   const Prediction& prediction) {
  const auto chosen = std::ranges::find(prediction.forecasts, prediction.recommended.kernel, &Forecast::kernel);
  if (chosen == prediction.forecasts.end() || chosen->fits) return;
  answers::remark_memory(device,
                         forecast::held_bytes(static_cast<double>(chosen->bytes.value_or(0)), s.rows, s.cols,
                                              request.product.precision, request.product.vectors),
                         request.listener);
}

// Where a line of a paper's model was never measured: what measures it.
void remark_never_measured(const PredictRequest& request, const Prediction& prediction) {
  std::vector<std::string> kernels;
  for (const Forecast& one : prediction.forecasts)
    if (one.beyond == Beyond::never_measured && std::ranges::find(kernels, one.kernel) == kernels.end())
      kernels.push_back(one.kernel);
  if (kernels.empty()) return;
  std::vector<wording::Argument> grids{{"device", prediction.profile}, {"papers", true}};
  if (request.threads > 0) grids.push_back({"threads", request.threads});
  answers::remark(request.listener,
                  wording::format("rows this long were never measured in {}, and a line fitted to shorter rows is no "
                                  "forecast; {} measures the papers' complete grids",
                                  joined(kernels), wording::ask("calibrate", grids)));
}

// Powers are forecast of the plan that would compute them.
PowersStrategy powers_of(const PredictRequest& request, const Matrix& matrix) {
  PlanRequest plan{.device = request.device, .profile = request.profile};
  if (request.model != "all") plan.model = request.model;
  plan.precision = request.product.precision;
  plan.threads = request.threads;
  plan.powers = request.powers;
  plan.strategy.kernels = request.kernels;
  plan.no_store = request.no_store;
  plan.listener = request.listener;
  answers::RequestedDevice device(plan, true);
  return *planning::choose(
              plan, matrix, device,
              {.threads = device.fit(plan.precision, plan.threads).threads, .look = planning::Look::always})
              .strategy.powers;
}
}  // namespace

Prediction predict(const PredictRequest& asked_for) {
  PredictRequest request = asked_for;
  const base::StopScope stop(request.listener.stop);
  answers::require_in_range(asked_for);
  const answers::MatrixAndStructure input =
      answers::matrix_and_structure_of(request.matrix, request.threads, request.listener);
  const Structure& s = input.structure;
  if (s.complex_values) request.product.precision = complex_of(request.product.precision);
  const std::shared_ptr<Machine> machine =
      Machine::of(request.device, request.profile.string(), request.listener, false, request.anchors);
  const Profile& profile = machine->profile();
  answers::remark_places(profile, request.places, request.listener);
  forecast::require_row_lengths(s, profile);
  if (s.complex_values && profile.properties.kind != DeviceKind::host)
    throw Error(ErrorCode::bad_input, "the values are complex, and no GPU kernel of Sparsecast multiplies them",
                {s.name}, "forecast for a host");
  Prediction prediction{
      .matrix = answers::size_of(s), .device = answers::name_of(profile.properties), .product = request.product};
  request.threads = answers::threads_of_file(request.profile, profile, request.threads, request.listener);
  const FitOptions asked = answers::fit_options(profile, request.product.precision, request.threads, request.listener);
  request.threads = asked.threads;
  if (request.profile.empty()) {
    answers::remark_repeats(calibration::repeat_error(profile, asked.threads), request.listener);
    prediction.drift =
        answers::answer_of(answers::check_profile(profile, request.check_drift, asked, request.listener));
  }
  if (request.choose_threads) choose_threads(request, *machine, input, asked, prediction);
  FitOptions counted = asked;
  counted.threads = prediction.threads.value_or(asked.threads);
  const planning::ObservedProducts observed = observed_of(request, profile, input.matrix, s, counted);
  const Forecaster forecaster(request, *machine, prediction.threads.value_or(request.threads), &observed);
  prediction.forecasts = forecaster.forecasts(s);
  prediction.recommended = forecaster.recommended(s);
  remark_missing(request, profile, prediction.forecasts);
  remark_memory(request, profile.properties, s, prediction);
  if (!observed.empty()) prediction.observed = observed.when();
  prediction.neighbours = observed.neighbours();
  if (request.powers > 0) {
    if (request.product.vectors > 1 || request.product.transposed)
      throw Error(ErrorCode::usage, "powers are forecast for A and one vector only", {}, "ask for one of the two");
    if (input.matrix.rows() != s.rows)
      throw Error(ErrorCode::bad_input, "a structure alone does not say which rows depend on which", {s.name},
                  "give the matrix");
    if (profile.properties.kind == DeviceKind::host && !profile.is_measured())
      throw Error(ErrorCode::unavailable,
                  fmt::format("'{}' is not present: powers are forecast of a plan, and plans by description are made "
                              "for GPUs, not for processors",
                              profile.name),
                  {}, wording::format("omit {}", wording::option("powers")));
    PredictRequest counted_so = request;
    counted_so.threads = counted.threads;
    prediction.powers = powers_of(counted_so, input.matrix);
  }
  prediction.profile = profile.name;
  remark_never_measured(request, prediction);
  prediction.tier = forecast::is_shipped(profile, forecaster.fit()) ? Tier::shipped : profile.tier;
  prediction.of_other_precision = answers::other_precision_text(profile, asked, request.listener.voice);
  prediction.not_measured = not_measured(s, profile, asked);
  prediction.by_calibration = !profile.taken.empty();
  prediction.bandwidth = read_rate(profile, forecaster.fit().threads, streamed_bytes(prediction));
  return prediction;
}
}  // namespace sparsecast
