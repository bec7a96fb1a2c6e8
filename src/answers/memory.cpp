#include "answers/memory.hpp"

#include <fmt/format.h>

#include "answers/inputs.hpp"
#include "base/home.hpp"
#include "calibration/measurement.hpp"
#include "calibration/neighbours.hpp"
#include "forecast/record_choice.hpp"
#include "formats/kernels.hpp"
#include "planning/run/plan_runner.hpp"
#include "planning/search/planner_parts.hpp"

namespace sparsecast::answers {
namespace {
using calibration::Observation;
using calibration::Observations;

// A time that was observed is no better than the machine repeats itself.
constexpr double least_spread = 0.02;
// Of log(seconds), of a forecast without an interval.
constexpr double usual_doubt = 0.2;

// Opening the file takes longer than asking it: it stays open as long as the home folder is the same.
template <class Work>
auto with_observations(const Listener& listener, const Work& work) {
  static std::mutex mutex;
  static std::filesystem::path home;
  static std::optional<Observations> opened;
  static bool told = false;
  const std::lock_guard lock(mutex);
  const std::filesystem::path now = base::home_folder();
  std::error_code error;
  if (!opened || home != now || !std::filesystem::exists(now / "observations.sqlite", error)) {
    opened.emplace();
    home = now;
    told = false;
  }
  auto answer = work(*opened);
  if (!opened->why().empty() && !std::exchange(told, true)) tell(listener.remark, opened->why());
  return answer;
}

// Nothing for a device that is not here. It does not change while a process lives.
std::string stamp_of_device(const std::string& device) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(device);
  if (found != known.end()) return found->second;
  std::string stamp;
  try {
    stamp = calibration::machine_stamp(hardware::open_device(device)->properties());
  } catch (const Error&) {
  }
  return known[device] = stamp;
}

std::string name_of_plan(const std::vector<PlannedBlock>& blocks) {
  std::string name;
  for (const PlannedBlock& block : blocks) name += (name.empty() ? "" : "+") + block.kernel;
  return name;
}

// The same terms in another time.
void move_to(Forecast& forecast, double seconds) {
  const double ratio = seconds / forecast.seconds;
  forecast.seconds = seconds;
  forecast.high_s = std::max(forecast.high_s, seconds);
  forecast.gflops /= ratio;
  for (ForecastPart& part : forecast.parts) part.seconds *= ratio;
}

double cost_of(const Strategy& strategy, double seconds, double conversion_s) {
  return strategy.iterations > 0 ? planning::number(strategy.iterations) * seconds + conversion_s : seconds;
}
}  // namespace

void Memory::prepare(const std::string& device, const Listener& listener) {
  (void)stamp_of_device(device);
  with_observations(listener, [](Observations& all) { return all.knows({}); });
}

Memory::Memory(const Matrix& matrix, const std::string& device, const ProductKind& product, int threads,
               const Listener& listener, const std::string& pattern)
    : matrix_(matrix) {
  const MatrixSize size = size_of(matrix);
  like_ = {.matrix = size.name,
           .pattern = pattern,
           .rows = size.rows,
           .cols = size.cols,
           .nonzeros = size.nonzeros,
           .device = device,
           .machine = stamp_of_device(device),
           .precision = product.precision,
           .threads = device == "host" ? threads : 0,
           .vectors = product.vectors,
           .transposed = product.transposed};
  if (like_.machine.empty()) return;
  observed_ = with_observations(listener, [&](Observations& all) {
    if (!all.knows(like_)) return std::vector<Observation>();
    if (pattern.empty()) like_.pattern = planning::pattern_checksum(matrix);
    return all.of_pattern(like_);
  });
}

Memory& Memory::of(const Structure& structure) {
  like_.features = calibration::features_of(structure);
  return *this;
}

void Memory::look_around(const Structure& structure, const Profile& profile, const FitOptions& fit,
                         const Listener& listener) {
  if (like_.machine.empty()) return;
  of(structure);
  const FitOptions from = forecast::records_for(profile, fit);
  std::string since;
  for (const Record& record : profile.records)
    if (record.precision == from.precision && record.threads == from.threads) since = std::max(since, record.taken);
  neighbours_ = {like_.features,
                 with_observations(listener, [&](Observations& all) { return all.around(like_, since); })};
}

const Observation* Memory::find(const std::string& kernel) const {
  const auto found = std::ranges::find(observed_, kernel, &Observation::kernel);
  return found == observed_.end() ? nullptr : &*found;
}

std::optional<double> Memory::settled() const {
  std::optional<double> left;
  for (const Observation& one : observed_)
    if (one.left_to_win && (!left || *one.left_to_win < *left)) left = one.left_to_win;
  return left;
}

int Memory::compared() const {
  const auto most = std::ranges::max_element(observed_, {}, &Observation::compared);
  return most == observed_.end() ? 0 : most->compared;
}

std::optional<Strategy> Memory::known_plan(const StrategyOptions& wanted, bool tells_trials) {
  if (!settled() || wanted.always_cut || wanted.reorder == Reorder::always) return std::nullopt;
  Strategy strategy;
  strategy.strips = 1;
  strategy.strip_rows = matrix_->rows();
  strategy.device = like_.device;
  strategy.precision = like_.precision;
  strategy.threads = like_.threads;
  strategy.vectors = like_.vectors;
  strategy.transposed = like_.transposed;
  strategy.iterations = wanted.iterations;
  double otherwise = planning::never;  // a cut, or csr, which trials for more products may have left out
  for (const Observation& one : observed_) {
    const double conversion_s = one.conversion_s.value_or(0);
    if (one.kernel.find('+') != std::string::npos)
      otherwise = std::min(otherwise, cost_of(strategy, one.seconds, conversion_s));
    else
      strategy.singles.push_back({.kernel = one.kernel, .seconds = one.seconds, .conversion_s = conversion_s});
  }
  if (strategy.singles.empty()) return std::nullopt;
  const std::string csr(formats::default_kernel().name);
  const auto forecast = std::ranges::find_if(observed_, [](const Observation& one) { return one.csr_s.has_value(); });
  if (forecast != observed_.end() && find(csr) == nullptr) {
    strategy.singles.push_back({.kernel = csr, .seconds = *forecast->csr_s});
    if (wanted.iterations > 0) otherwise = std::min(otherwise, cost_of(strategy, *forecast->csr_s, 0));
  }
  strategy.best_single = strategy.singles.front();
  apply(strategy, tells_trials);
  const SingleKernel& best = strategy.best_single;
  if (cost_of(strategy, best.seconds, best.conversion_s) > otherwise) return std::nullopt;
  return strategy;
}

std::string Memory::when() const {
  double days = 1e9;
  for (const Observation& one : observed_) days = std::min(days, calibration::days_since(one.taken));
  return calibration::days_ago(days);
}

Memory::Told Memory::told(const std::string& kernel, Told models) const {
  if (const Observation* seen = find(kernel)) {
    const double spread = planning::two_sided_90 * std::max(seen->spread, least_spread);
    return {seen->seconds, seen->seconds / (1 + spread), seen->seconds * (1 + spread)};
  }
  const bool interval = models.low_s > 0 && models.high_s > models.low_s;
  const double doubt = interval ? std::log(models.high_s / models.low_s) / 2 / planning::two_sided_90 : usual_doubt;
  const std::optional<calibration::ForecastError> error = neighbours_.error_of(kernel, doubt);
  if (!error) return models;
  const double seconds = models.seconds * std::exp(error->mean);
  const double width = std::exp(planning::two_sided_90 * error->deviation);
  return {seconds, interval ? seconds / width : models.low_s, interval ? seconds * width : models.high_s};
}

void Memory::apply(std::vector<Forecast>& forecasts) const {
  if (empty() && neighbours_.empty()) return;
  // Where everything that may win was tried, what was not is no faster.
  double fastest = 0;
  if (settled())
    for (const Observation& seen : observed_) fastest = fastest > 0 ? std::min(fastest, seen.seconds) : seen.seconds;
  for (Forecast& one : forecasts) {
    const Observation* seen = find(one.kernel);
    const Told models{one.seconds, one.low_s, one.high_s};
    const Told now = seen != nullptr || one.model == "sparsecast" ? told(one.kernel, models) : models;
    move_to(one, std::max(now.seconds, seen == nullptr ? fastest : 0));
    one.low_s = now.low_s;
    one.high_s = std::max(now.high_s, one.seconds);
    if (seen == nullptr && now.seconds != models.seconds) one.moved = now.seconds / models.seconds;
    if (seen == nullptr) continue;
    if (seen->conversion_s) one.preprocess_s = one.preprocess_low_s = one.preprocess_high_s = seen->conversion_s;
    one.extrapolated = false;
    one.tier = "observed";
  }
  std::ranges::stable_sort(forecasts, {},
                           [](const Forecast& one) { return std::pair(one.seconds, one.tier != "observed"); });
}

void Memory::apply(Strategy& strategy, bool tells_trials) {
  if (!like_.features.empty())
    for (const SingleKernel& one : strategy.singles) forecast_[one.kernel] = one.seconds;
  if (empty() && neighbours_.empty()) return;
  for (SingleKernel& one : strategy.singles) {
    const Told now = told(one.kernel, {one.seconds, one.low_s, one.high_s});
    one.seconds = now.seconds;
    one.low_s = now.low_s;
    one.high_s = now.high_s;
    const Observation* seen = find(one.kernel);
    if (seen == nullptr) continue;
    one.measured_s = seen->seconds;
    one.status = "ok";
    if (seen->conversion_s) one.conversion_s = *seen->conversion_s;
  }
  const std::optional<double> left = settled();
  // Once everything that could win was tried, what was not is no candidate.
  const auto cost = [&](const SingleKernel& one) {
    return left && !one.measured_s ? planning::never : cost_of(strategy, one.seconds, one.conversion_s);
  };
  std::ranges::stable_sort(strategy.singles, {}, cost);
  const double planned_s = strategy.best_single.seconds;
  strategy.best_single = strategy.singles.front();
  if (tells_trials && left)
    strategy.trials = TrialReport{.left_to_win = *left, .reason = fmt::format("measured here {}", when())};
  carry_out(strategy, planned_s);
}

// The plan of the single kernel that is the best now, or of the cut where that was measured to be better; `planned_s`:
// of the best single kernel before.
void Memory::carry_out(Strategy& strategy, double planned_s) const {
  const Observation* cut = strategy.best_cut.empty() ? nullptr : find(name_of_plan(strategy.best_cut));
  const SingleKernel& best = strategy.best_single;
  if (cut != nullptr && cost_of(strategy, cut->seconds, cut->conversion_s.value_or(0)) <
                            cost_of(strategy, best.seconds, best.conversion_s)) {
    strategy.cut = true;
    strategy.blocks = strategy.best_cut;
    strategy.predicted_s = cut->seconds;
    strategy.conversion_s = cut->conversion_s.value_or(0);
    strategy.reason = fmt::format("the cut was measured here {}", when());
    return planning::find_break_even(strategy);
  }
  if (!best.measured_s && (strategy.cut || strategy.blocks.size() != 1)) return;
  if (!best.measured_s && strategy.blocks.front().kernel == best.kernel) {  // which may be reordered
    strategy.blocks.front().seconds *= best.seconds / planned_s;
    strategy.predicted_s *= best.seconds / planned_s;
    return planning::find_break_even(strategy);
  }
  PlannedBlock block{.last_strip = strategy.strips, .kernel = best.kernel, .seconds = best.seconds};
  block.last_row = matrix_->rows() - 1;
  block.conversion_s = best.conversion_s;
  strategy.cut = false;
  strategy.blocks = {block};
  strategy.predicted_s = best.seconds;
  strategy.conversion_s = best.conversion_s;
  if (best.measured_s) strategy.reason = fmt::format("measured here {}", when());
  planning::find_break_even(strategy);
}

Observation Memory::observation(const std::string& kernel, double seconds) const {
  const auto forecast_of = [&](std::string_view one) {
    const auto found = forecast_.find(one);
    return found == forecast_.end() ? std::nullopt : std::optional(found->second);
  };
  Observation one = like_;
  one.kernel = kernel;
  one.seconds = seconds;
  one.forecast_s = forecast_of(kernel).value_or(0);
  one.csr_s = forecast_of(formats::default_kernel().name);
  one.taken = base::utc_now();
  return one;
}

void Memory::add(std::vector<Observation> observations, const Listener& listener) const {
  if (like_.machine.empty() || observations.empty()) return;
  if (like_.pattern.empty()) {
    const std::string pattern = planning::pattern_checksum(*matrix_);
    for (Observation& one : observations) one.pattern = pattern;
  }
  with_observations(listener, [&](Observations& all) {
    all.add(observations);
    return 0;
  });
}

void Memory::keep(const TrialReport& trials, const Listener& listener) const {
  std::vector<Observation> seen;
  for (const TriedKernel& tried : trials.tried) {
    if (!(tried.seconds > 0)) continue;
    Observation& one = seen.emplace_back(observation(tried.kernel, tried.seconds));
    one.spread = tried.spread;
    one.conversion_s = tried.conversion_s;
    if (trials.settled) one.left_to_win = trials.left_to_win;
  }
  add(std::move(seen), listener);
}

void Memory::keep(const std::vector<calibration::Measurement>& measurements, bool all,
                  const std::vector<Forecast>& forecasts, const Listener& listener) {
  for (const Forecast& one : forecasts)
    if (one.model == "sparsecast") forecast_[one.kernel] = one.seconds;
  std::vector<Observation> seen;
  for (const calibration::Measurement& measured : measurements) {
    if (!measured.timed() || !(measured.timing.seconds > 0)) continue;
    Observation& one = seen.emplace_back(observation(measured.kernel, measured.timing.seconds));
    one.spread = measured.timing.spread;
    one.conversion_s = measured.preprocess_s;
    if (all) one.left_to_win = 0;
  }
  add(std::move(seen), listener);
}

Plan plan_from(const Matrix& matrix, Strategy strategy, const TrialOptions& trials, const Memory& memory,
               const Listener& listener) {
  const bool tries = trials.mode != TrialMode::none && !strategy.trials;
  Plan plan = try_out(matrix, std::move(strategy), tries ? trials : TrialOptions());
  if (tries && trials.mode != TrialMode::online && plan.strategy().trials)
    memory.keep(*plan.strategy().trials, listener);
  return plan;
}
}  // namespace sparsecast::answers
