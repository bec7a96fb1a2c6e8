#include "planning/trials/trial_course.hpp"

#include <algorithm>
#include <cmath>

#include "planning/search/numbers.hpp"

namespace sparsecast::planning {
namespace {
// A product as long as this needs no warming up: what stands in the caches is nothing beside it.
constexpr double long_product_s = 5e-3;
// Shorter ones are over before the clock's and the machine's small noises have averaged out.
constexpr double short_product_s = 1e-4;
// Of the logarithm of a ratio: one that lies so far apart at its first turn is told apart.
constexpr double far_apart = 0.2;
// A turn that is slower than was expected by more than this may have been interrupted, and another one is taken; but
// for one that no interruption puts so far behind in a pair. Found by looking at the matrices of results-optimize.md.
constexpr double surprise = 0.1, hopeless = 0.45;
// What one pair of turns says of a ratio where nothing else tells, and what is near enough to make no difference.
constexpr double usual_noise = 0.03, no_difference = 0.004;
// Repeats that differ by twice as much are told.
constexpr double scatter_told = 0.1;
// These and what follows were chosen on 21 of the judged matrices on a Zen 4 guest.
// What all trials together may take, in products of the best; more where that much of a product is expected to be won.
constexpr double most_products = 40, many_products = 100, much_to_win = 0.02;
// How much the price of a trial counts in the order, beside what it may win.
constexpr double by_price = 0.25;
// A first candidate whose forecast is no better than this (a measured one is) is looked at where so many products
// follow.
constexpr double doubtful = 0.022;
constexpr std::int64_t iterations_to_look = 400;
// What telling one apart takes, in products of both.
constexpr double products_of_a_trial = 9;
// Below this share of a product nothing is worth converting for.
constexpr double least_to_win = 5e-4;
// Share of a forecast's variance that all kernels of a matrix have in common: x's way through the caches, the day.
constexpr double common_share = 0.5;

double below(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

double deviation_of(const Candidate& candidate) {
  if (!(candidate.low_s > 0) || !(candidate.high_s > candidate.low_s)) return 0.5;
  return std::clamp(std::log(candidate.high_s / candidate.low_s) / 2 / two_sided_90, 0.02, 1.0);
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}
double half_range(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const auto [least, most] = std::ranges::minmax(values);
  return (most - least) / 2;
}
}  // namespace

TrialCourse::TrialCourse(std::vector<Candidate> candidates, CourseOptions options)
    : candidates_(std::move(candidates)), options_(options), tried_(candidates_.size()), spent_(options.spent_s) {
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    tried_[k].told.kernel = candidates_[k].name;
    tried_[k].told.predicted_s = candidates_[k].seconds;
  }
  // A plan's own kernel is looked at in its first products: they cost little, and its forecast may be far off.
  const bool many = options_.iterations == 0 || options_.iterations >= iterations_to_look;
  bool pays = options_.most > 0 || (many && candidates_.size() > 1 && deviation_of(candidates_[0]) > doubtful);
  for (std::size_t k = 1; k < candidates_.size(); ++k) pays = pays || may_pay(k);
  if (candidates_.size() < 2 && options_.most == 0) {
    end("there is no other candidate");
  } else if (!pays) {
    end("trying costs more than it can gain");
  } else {
    begin(0);
  }
}

double TrialCourse::best_s() const {
  return tried_[best_].seconds > 0 ? tried_[best_].seconds : candidates_[best_].seconds;
}

void TrialCourse::begin(std::size_t candidate) {
  tried_[candidate].looked_at = true;
  order_.push_back(candidate);
  if (candidate != best_) challenger_ = candidate;
  ratios_.clear();
  step_ = {TrialAction::convert, candidate, false};
}

void TrialCourse::begin_turn(std::size_t candidate) {
  const double seconds = tried_[candidate].seconds > 0 ? tried_[candidate].seconds : candidates_[candidate].seconds;
  warm_left_ = seconds < long_product_s ? 1 : 0;
  timed_left_ = seconds < short_product_s ? 3 : seconds < long_product_s ? 2 : 1;
  least_ = never;
  step_ = {TrialAction::multiply, candidate, warm_left_ == 0};
}

void TrialCourse::took(double seconds) {
  Tried& now = tried_[step_.candidate];
  spent_ += seconds;
  if (step_.action == TrialAction::convert) {
    now.told.conversion_s = seconds;
    return begin_turn(step_.candidate);
  }
  ++now.told.products;
  if (step_.timed) {
    least_ = std::min(least_, seconds);
    --timed_left_;
  } else {
    --warm_left_;
  }
  step_.timed = warm_left_ == 0;
  if (timed_left_ == 0) end_turn();
}

void TrialCourse::failed(const std::string& why) {
  const std::size_t candidate = step_.candidate;
  tried_[candidate].told.status = why;
  challenger_.reset();
  if (candidate != best_) return choose_next();
  // What the plan itself would have taken is not to be had: the next candidate is.
  for (std::size_t k = 0; k < candidates_.size(); ++k)
    if (!tried_[k].looked_at) {
      best_ = k;
      return begin(k);
    }
  end(why);
}

void TrialCourse::end(const std::string& why, bool settled) {
  settled_ = settled;
  reason_ = why;
  challenger_.reset();
  step_ = {};
}

void TrialCourse::end_turn() {
  Tried& now = tried_[step_.candidate];
  now.turns.push_back(std::max(least_, 1e-12));
  if (!challenger_) {  // the first of all
    now.seconds = now.turns.back();
    return choose_next();
  }
  if (step_.candidate != *challenger_) return judge_pair();
  // Against the best one's turns so far; beside a new one only where that leaves it open, or is not to be believed.
  const double apart = std::log(now.turns.back() / best_s());
  if (ratios_.empty() && far_behind(apart)) {
    ratios_.push_back(apart);
    return settle_pair();
  }
  begin_turn(best_);
}

// After a turn of both: another, or a verdict.
void TrialCourse::judge_pair() {
  ratios_.push_back(std::log(tried_[*challenger_].turns.back() / tried_[best_].turns.back()));
  const double apart = std::abs(middle(ratios_)), doubt = doubt_of_ratio();
  const int most_turns = options_.threads > 1 ? 5 : 3;
  // That the best one is not the best any more takes two pairs, and so does what nobody expected.
  const bool once = ratios_.size() == 1;
  const bool told_apart = once ? middle(ratios_) > hopeless || far_behind(middle(ratios_))
                               : apart > 2 * doubt || apart + doubt < 2 * no_difference;
  if (told_apart || std::ssize(ratios_) >= most_turns) return settle_pair();
  begin_turn(*challenger_);
}

// Deviation of the ratio's logarithm: as the pairs scatter, and as repeats of one product do on this machine now.
double TrialCourse::doubt_of_ratio() const {
  std::vector<double> scatters;
  for (const Tried& one : tried_) {
    if (one.turns.size() < 2) continue;
    const auto [least, most] = std::ranges::minmax(one.turns);
    scatters.push_back(std::log(most / least) / 2);
  }
  const double usual = scatters.empty() ? usual_noise / 4 : std::max(usual_noise / 4, middle(scatters));
  return std::max(half_range(ratios_), usual) / std::sqrt(static_cast<double>(ratios_.size()));
}

// Where repeats scatter by as much as forecasts err, the forecast counts as well.
void TrialCourse::settle_pair() {
  Tried &challenger = tried_[*challenger_], &best = tried_[best_];
  const double seen = 1 / std::pow(doubt_of_ratio(), 2);
  const double deviation = std::hypot(deviation_of(candidates_[*challenger_]), deviation_of(candidates_[best_]));
  const double foreseen = 1 / ((1 - common_share) * deviation * deviation);
  const double forecast = std::log(candidates_[*challenger_].seconds / candidates_[best_].seconds);
  const double ratio = (seen * middle(ratios_) + foreseen * forecast) / (seen + foreseen);
  best.seconds = middle(best.turns);
  challenger.seconds = best.seconds * std::exp(ratio);
  if (ratio < 0) best_ = *challenger_;
  challenger_.reset();
  choose_next();
}

// The order is by what may still be won, and of those alike by what it costs.
void TrialCourse::choose_next() {
  if (options_.most > 0) {
    for (std::size_t k = 0; k < candidates_.size(); ++k)
      if (!tried_[k].looked_at && std::ssize(order_) < options_.most) return begin(k);
    return end("as many as requested");
  }
  std::optional<std::size_t> next;
  double most = 0;
  bool left = false;
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    if (tried_[k].looked_at) continue;
    left = true;
    if (!may_pay(k)) continue;
    const double worth = expected_saving(k) / std::pow(cost_of_trying(k), by_price);
    if (worth > most) most = worth, next = k;
  }
  if (next) return begin(*next);
  end(left ? "trying more costs more than it can gain" : "every candidate was tried");
}

// The forecast, moved by what those that were tried took beside theirs, and narrower for it.
TrialCourse::Belief TrialCourse::belief(std::size_t candidate) const {
  const double deviation = deviation_of(candidates_[candidate]);
  double sum = 0, count = 0;
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    if (!(tried_[k].seconds > 0)) continue;
    // What a narrower forecast missed by moves a wider one by as much, not by as many of its own deviations.
    const double wider = std::max(deviation, deviation_of(candidates_[k]));
    sum += std::clamp(std::log(tried_[k].seconds / candidates_[k].seconds) / wider, -3.0, 3.0);
    ++count;
  }
  const double weight = common_share / (1 + (std::max(count, 1.0) - 1) * common_share);
  const double variance = 1 - (count > 0 ? common_share * weight * count : 0);
  return {candidates_[candidate].seconds * std::exp(deviation * weight * sum), deviation * std::sqrt(variance)};
}

// Whether the challenger is, by its last turn, which is to be believed.
bool TrialCourse::far_behind(double apart) const {
  const Belief of = belief(*challenger_);
  const double slower = std::log(tried_[*challenger_].turns.back() / of.median_s);
  return apart > far_apart && slower < std::min(surprise, two_sided_90 * of.deviation);
}

// Of one product: the mean of what it is faster than the best one, where it is.
double TrialCourse::expected_saving(std::size_t candidate) const {
  const Belief of = belief(candidate);
  double best = tried_[best_].seconds, deviation = of.deviation;
  if (!(best > 0)) {
    best = candidates_[best_].seconds;
    deviation = std::hypot(deviation, deviation_of(candidates_[best_])) * std::sqrt(1 - common_share);
  }
  const double d = std::log(best / of.median_s) / deviation;
  return std::max(0.0, best * below(d) - of.median_s * std::exp(deviation * deviation / 2) * below(d - deviation));
}

double TrialCourse::cost_of_trying(std::size_t candidate) const {
  return candidates_[candidate].conversion_s + products_of_a_trial * (belief(candidate).median_s + best_s()) / 2;
}

bool TrialCourse::may_pay(std::size_t candidate) const {
  const double saving = expected_saving(candidate), cost = cost_of_trying(candidate), best = best_s();
  if (options_.iterations > 0 && saving * number(options_.iterations) <= wins_of_price * cost) return false;
  if (saving < least_to_win * best) return false;
  const double first = tried_[best_].looked_at ? 0 : candidates_[best_].conversion_s;
  const double affordable = (saving > much_to_win * best ? many_products : most_products) * best;
  return spent_ + first + cost <= affordable;
}

// best − the mean of the least of all that are left, the best among them.
double TrialCourse::left_to_win() const {
  const double best = best_s();
  constexpr int steps = 200;
  double won = 0;
  for (int i = 0; i < steps; ++i) {
    const double at = best * (i + 0.5) / steps;
    double none_below = 1;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      if (tried_[k].looked_at || k == best_) continue;
      const Belief of = belief(k);
      none_below *= 1 - below(std::log(at / of.median_s) / of.deviation);
    }
    won += (1 - none_below) / steps;
  }
  return std::clamp(won, 0.0, 1.0);
}

TrialReport TrialCourse::report() const {
  TrialReport report{.spent_s = spent_, .left_to_win = left_to_win(), .settled = settled_, .reason = reason_};
  std::vector<double> scatters;
  for (const std::size_t k : order_) {
    TriedKernel& one = report.tried.emplace_back(tried_[k].told);
    one.seconds = tried_[k].seconds;
    if (tried_[k].turns.size() < 2) continue;
    one.spread = half_range(tried_[k].turns) / middle(tried_[k].turns);
    scatters.push_back(one.spread);
  }
  report.unsteady = !scatters.empty() && middle(scatters) > scatter_told;
  return report;
}
}  // namespace sparsecast::planning
