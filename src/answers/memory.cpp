#include "answers/memory.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <mutex>
#include <sparsecast/error.hpp>
#include <utility>

#include "answers/inputs.hpp"
#include "base/clock.hpp"
#include "base/files.hpp"
#include "devices/device.hpp"
#include "plan/run/plan_runner.hpp"
#include "plan/search/planner_parts.hpp"

namespace sparsecast::answers {
namespace {
using calibration::Observation;
using calibration::Observations;

// A time that was observed is no better than the machine repeats itself.
constexpr double least_spread = 0.02;

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

double days_since(const std::string& taken) {
  std::tm date{};
  if (strptime(taken.c_str(), "%Y-%m-%dT%H:%M:%SZ", &date) == nullptr) return 0;
  return std::max(0.0, std::difftime(std::time(nullptr), timegm(&date)) / 86400);
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

Memory::Memory(const Matrix& matrix, const std::string& device, const ProductKind& product, int threads,
               const Listener& listener)
    : matrix_(matrix) {
  task_ = {device,          stamp_of_device(device), product.precision, device == "host" ? threads : 0,
           product.vectors, product.transposed};
  if (task_.machine.empty()) return;
  observed_ = with_observations(listener, [&](Observations& all) {
    return all.knows(matrix.nonzeros(), task_) ? all.of_pattern(planning::pattern_checksum(matrix), task_)
                                               : std::vector<Observation>();
  });
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

std::string Memory::when() const {
  double days = 1e9;
  for (const Observation& one : observed_) days = std::min(days, days_since(one.taken));
  if (days < 1) return "today";
  return days < 2 ? "yesterday" : fmt::format("{:.0f} days ago", days);
}

void Memory::apply(std::vector<Forecast>& forecasts) const {
  if (empty()) return;
  // Where everything that may win was tried, what was not is no faster.
  double fastest = 0;
  if (settled())
    for (const Observation& seen : observed_) fastest = fastest > 0 ? std::min(fastest, seen.seconds) : seen.seconds;
  for (Forecast& one : forecasts) {
    const Observation* seen = find(one.kernel);
    if (seen == nullptr && one.seconds < fastest) move_to(one, fastest);
    if (seen == nullptr) continue;
    move_to(one, seen->seconds);
    const double spread = planning::two_sided_90 * std::max(seen->spread, least_spread);
    one.low_s = seen->seconds / (1 + spread);
    one.high_s = seen->seconds * (1 + spread);
    if (seen->conversion_s) one.preprocess_s = one.preprocess_low_s = one.preprocess_high_s = seen->conversion_s;
    one.extrapolated = false;
    one.tier = "observed";
  }
  std::ranges::stable_sort(forecasts, {},
                           [](const Forecast& one) { return std::pair(one.seconds, one.tier != "observed"); });
}

void Memory::apply(Strategy& strategy, bool tells_trials) const {
  if (empty()) return;
  for (SingleKernel& one : strategy.singles) {
    const Observation* seen = find(one.kernel);
    if (seen == nullptr) continue;
    const double spread = planning::two_sided_90 * std::max(seen->spread, least_spread);
    one.seconds = seen->seconds;
    one.low_s = seen->seconds / (1 + spread);
    one.high_s = seen->seconds * (1 + spread);
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
  strategy.best_single = strategy.singles.front();
  if (tells_trials && left)
    strategy.trials = TrialReport{.left_to_win = *left, .reason = fmt::format("measured here {}", when())};

  const Observation* cut = strategy.best_cut.empty() ? nullptr : find(name_of_plan(strategy.best_cut));
  const SingleKernel& best = strategy.best_single;
  if (cut != nullptr && cost_of(strategy, cut->seconds, cut->conversion_s.value_or(0)) < cost(best)) {
    strategy.cut = true;
    strategy.blocks = strategy.best_cut;
    strategy.predicted_s = cut->seconds;
    strategy.conversion_s = cut->conversion_s.value_or(0);
    strategy.reason = fmt::format("the cut was measured here {}", when());
    return planning::find_break_even(strategy);
  }
  if (!best.measured_s && (strategy.cut || strategy.blocks.size() != 1)) return;
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
  Observation one;
  one.task = task_;
  one.kernel = kernel;
  one.seconds = seconds;
  one.taken = base::utc_now();
  return one;
}

void Memory::add(std::vector<Observation> observations, const Listener& listener) const {
  if (task_.machine.empty() || observations.empty()) return;
  const MatrixSize size = size_of(*matrix_);
  const std::string pattern = planning::pattern_checksum(*matrix_);
  for (Observation& one : observations) {
    one.pattern = pattern;
    one.matrix = size.name;
    one.rows = size.rows;
    one.cols = size.cols;
    one.nonzeros = size.nonzeros;
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
    one.forecast_s = tried.predicted_s;
    if (trials.settled) one.left_to_win = trials.left_to_win;
  }
  add(std::move(seen), listener);
}

void Memory::keep(const std::vector<calibration::Measurement>& measurements, bool all, const Listener& listener) const {
  std::vector<Observation> seen;
  for (const calibration::Measurement& measured : measurements) {
    if (measured.status != "ok" || !(measured.timing.seconds > 0)) continue;
    Observation& one = seen.emplace_back(observation(measured.kernel, measured.timing.seconds));
    one.spread = measured.timing.spread;
    one.conversion_s = measured.preprocess_s;
    if (all) one.left_to_win = 0;
  }
  add(std::move(seen), listener);
}

Plan plan_from(const Matrix& matrix, Strategy strategy, const TrialOptions& trials, const Memory& memory,
               const Listener& listener) {
  const bool asked = trials.mode != TrialMode::none;
  memory.apply(strategy, asked);
  const bool tries = asked && !strategy.trials;
  Plan plan = try_out(matrix, std::move(strategy), tries ? trials : TrialOptions());
  if (tries && trials.mode != TrialMode::online && plan.strategy().trials)
    memory.keep(*plan.strategy().trials, listener);
  return plan;
}
}  // namespace sparsecast::answers
