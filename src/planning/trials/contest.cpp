#include "planning/trials/contest.hpp"

#include <algorithm>
#include <sparsecast/error.hpp>

#include "formats/kernels.hpp"
#include "planning/search/cost.hpp"
#include "planning/search/numbers.hpp"
#include "planning/trials/screening.hpp"

namespace sparsecast::planning {
namespace {
// What screening takes, in products, and the share of a product that must be left to win.
constexpr double products_of_a_screening = 15, least_worth_looking = 0.005;

// Half of what the device has, for the two formats that are held.
double memory_for(const Runner& beside) { return number(beside.device_memory_bytes()) / 2; }

TrialCourse course_of(const std::vector<Contender>& all, const Strategy& planned, const TrialOptions& options,
                      double spent_s = 0) {
  std::vector<Candidate> candidates;
  for (const Contender& one : all) candidates.push_back(one.forecast);
  return {std::move(candidates),
          {.iterations = planned.iterations,
           .most = options.mode == TrialMode::count ? options.most : 0,
           .threads = planned.threads,
           .spent_s = spent_s}};
}
}  // namespace

Contest::Contest(Matrix matrix, const Strategy& planned, const TrialOptions& options)
    : matrix_(std::move(matrix)),
      options_(options),
      contenders_(contenders(planned)),
      course_(course_of(contenders_, planned, options)) {
  if (options.mode == TrialMode::automatic) look();
  convert();
  if (!best_) best_ = make_runner(matrix_, contenders_[course_.best()].strategy, {.summed = false});
}

// Screens where all that may be won pays for it, and begins with what looks best then.
void Contest::look() {
  const Strategy planned = contenders_.front().strategy;
  const double share = course_.report().left_to_win;
  if (share < least_worth_looking) return;
  if (planned.iterations > 0 && share * number(planned.iterations) < wins_of_price * products_of_a_screening) return;
  Screening screening = screen(matrix_, contenders_);
  screened_ = std::move(screening.seen);
  if (planned.blocks.size() == 1) sort_by_cost(contenders_, planned.iterations);
  course_ = course_of(contenders_, planned, options_, screening.spent_s);
  if (screening.interrupted) course_.end("interrupted", false);
}

void Contest::convert() {
  while (course_.step().action == TrialAction::convert) {
    const std::size_t place = course_.step().candidate;
    const Contender& one = contenders_[place];
    if (best_ && place == best_place_) {  // it is converted already
      course_.took(0);
      continue;
    }
    try {
      if (best_ && number(one.bytes) + number(best_->bytes()) > memory_for(*best_))
        throw Error(ErrorCode::too_large, "too large to hold beside the best one so far");
      std::shared_ptr<Runner> runner = make_runner(matrix_, one.strategy, {.summed = false, .beside = best_.get()});
      // A kernel made for symmetric values goes back to csr where a sample of them had promised too much.
      if (formats::kernel_or_plain(one.strategy.blocks.front().kernel).made_for == formats::MadeFor::symmetry &&
          one.bytes > 0 && number(runner->bytes()) > 1.2 * number(one.bytes))
        throw Error(ErrorCode::failed, "its values are not symmetric");
      const double seconds = runner->conversion_s;
      (best_ ? challenger_ : best_) = std::move(runner);
      if (!challenger_) best_place_ = place;
      course_.took(seconds);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::failed && error.code() != ErrorCode::too_large) throw;
      if (!best_ && course_.report().tried.size() == contenders_.size()) throw;
      course_.failed(error.reason());
    } catch (const std::bad_alloc&) {
      course_.failed("too large: out of memory");
    }
  }
}

const std::shared_ptr<Runner>& Contest::next() const {
  const TrialStep step = course_.step();
  return step.action == TrialAction::multiply && step.candidate != best_place_ ? challenger_ : best_;
}

void Contest::took(double seconds) {
  course_.took(seconds);
  follow();
}

// Holds what the course still needs.
void Contest::follow() {
  if (course_.best() != best_place_) {
    best_ = challenger_;
    best_place_ = course_.best();
    challenger_.reset();
  } else if (!course_.challenger() || course_.step().action == TrialAction::convert) {
    challenger_.reset();
  }
}

void Contest::interrupt() {
  course_.end("interrupted", false);
  challenger_.reset();
}

void Contest::again() {
  const auto best = contenders_.begin() + static_cast<std::ptrdiff_t>(best_place_);
  std::rotate(contenders_.begin(), best, best + 1);
  best_place_ = 0;
  challenger_.reset();
  course_ = course_of(contenders_, contenders_.front().strategy, options_);
}

void Contest::replace(Matrix matrix, std::shared_ptr<Runner> best) {
  matrix_ = std::move(matrix);
  if (best) best_ = std::move(best);
  if (challenger_) {
    challenger_.reset();
    course_.end("the matrix has new values");
  }
}

Strategy Contest::outcome() const {
  Strategy strategy = contenders_[course_.best()].strategy;
  strategy.trials = course_.report();
  strategy.trials->screened = screened_;
  std::vector<TriedKernel>& tried = strategy.trials->tried;
  for (TriedKernel& one : tried) {
    const auto own = std::ranges::find(contenders_, one.kernel, [](const Contender& c) { return c.forecast.name; });
    if (own != contenders_.end()) one.predicted_s = own->strategy.predicted_s;
    const auto single = std::ranges::find(strategy.singles, one.kernel, &SingleKernel::kernel);
    if (single == strategy.singles.end()) continue;
    single->status = one.status;
    if (one.seconds > 0) single->measured_s = one.seconds;
  }
  const auto own = std::ranges::find(tried, contenders_[course_.best()].forecast.name, &TriedKernel::kernel);
  if (own == tried.end() || !(own->seconds > 0)) return strategy;
  const double ratio = own->seconds / strategy.predicted_s;
  strategy.predicted_s = own->seconds;
  strategy.conversion_s = own->conversion_s;
  for (PlannedBlock& block : strategy.blocks) {
    block.seconds *= ratio;
    block.extrapolated = false;  // it was measured
  }
  if (strategy.blocks.size() == 1) {
    strategy.blocks.front().conversion_s = own->conversion_s;
    const auto single = std::ranges::find(strategy.singles, strategy.blocks.front().kernel, &SingleKernel::kernel);
    if (single != strategy.singles.end()) strategy.best_single = *single;
    strategy.best_single.seconds = own->seconds;
  }
  find_break_even(strategy);
  strategy.reason = std::ssize(tried) > 1 ? "the fastest of " + std::to_string(tried.size()) + " that were tried"
                                          : "as forecast; nothing else was tried";
  return strategy;
}
}  // namespace sparsecast::planning
