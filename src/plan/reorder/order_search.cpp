#include "plan/reorder/order_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "plan/reorder/order_cost.hpp"
#include "plan/reorder/orders.hpp"
#include "plan/search/numbers.hpp"

namespace sparsecast {
namespace planning {
namespace {

// An order that promises less is within what another placement in memory does to a product.
constexpr double least_order_gain = 0.05;
// Of two orders that gain alike, the one that costs less is taken.
constexpr double alike = 0.98;

double deviation_of(const Forecast& forecast) {
  return forecast.low_s > 0 ? std::log(forecast.high_s / forecast.low_s) / 2 / two_sided_90 : 1;
}

// Kinder than any order for what is asked; what it is asked of is counted in reads.
void read_once(XReuse& reuse, const Structure& structure) {
  const std::int64_t least = (structure.cols - 1) / std::max(1, reuse.elements_per_line) + 1;
  reuse.lines = std::min(reuse.lines, least);
  reuse.cold = std::min(reuse.cold, number(reuse.lines) / std::max(1.0, number(structure.nonzeros)));
  reuse.distance.assign(1, 1 - reuse.cold);
  reuse.cold_followed = reuse.cold;
  reuse.followed.clear();
}

}  // namespace

Structure kindest(Structure structure, bool side_by_side) {
  for (XReuse& reuse : structure.x_reuse) read_once(reuse, structure);
  structure.mispredicted_rows = std::min(0.0, structure.mispredicted_rows);
  structure.mispredicted_filled_rows = std::min(0.0, structure.mispredicted_filled_rows);
  structure.row_groups.mispredicted = 0;
  structure.row_groups.turns = structure.row_groups.cut_turns = 0;
  if (side_by_side && structure.nonzeros > 0) {
    structure.neighbours = 2 * (1 - number(structure.rows - structure.empty_rows) / number(structure.nonzeros));
    structure.cross_row_similarity = 1;
    structure.runs_per_row = std::min(1.0, structure.runs_per_row);
    structure.bandwidth_scaled = std::min(structure.bandwidth_scaled, structure.row_mean / number(structure.cols));
  }
  return structure;
}

OrderSearch::OrderSearch(const Planner& planner, const Matrix& matrix, const StrategyOptions& options)
    : planner_(planner), parts_(*planner.parts_), matrix_(matrix), options_(options) {}

double OrderSearch::cost(double seconds, double conversion_s) const {
  return options_.iterations > 0 ? number(options_.iterations) * seconds + conversion_s : seconds;
}

OrderSearch::Outlook OrderSearch::outlook(const Structure& structure) const {
  Outlook best;
  for (Forecast& forecast : parts_.forecasts(structure, {options_.vectors, options_.transposed})) {
    const double of_this = cost(forecast.seconds, forecast.preprocess_s.value_or(0));
    if (best.best.kernel.empty() || of_this < best.cost) best = {std::move(forecast), of_this};
  }
  return best;
}

// One product as it stands, by one thread.
double OrderSearch::plain_seconds() const {
  const auto plain = std::ranges::find(found_.as_it_is.singles, formats::default_kernel().name, &SingleKernel::kernel);
  const double seconds = plain != found_.as_it_is.singles.end() ? plain->seconds : found_.as_it_is.best_single.seconds;
  return seconds * std::max(1, parts_.options.threads);
}

// Standard deviation of the error of (seconds then − seconds now): what one kernel does alike in both orders errs
// alike, and the difference errs as the forecasts do. Never more than if both erred independently.
double OrderSearch::doubt(const Outlook& then) const {
  const double now_s = now_.best.seconds, then_s = then.best.seconds;
  const double apart = std::hypot(deviation_of(now_.best) * now_s, deviation_of(then.best) * then_s);
  double disagreement = 0;
  if (now_.best.kernel != then.best.kernel) {
    const int a = parts_.quick.find(now_.best.kernel), b = parts_.quick.find(then.best.kernel);
    if (a < 0 || b < 0) return apart;
    disagreement = parts_.quick.disagreement(a, b);
  }
  return std::min(apart, std::hypot(std::max(least_disagreement, disagreement) * then_s,
                                    deviation_of(now_.best) * (now_s - then_s)));
}

void OrderSearch::find_bound() {
  const Structure structure = parts_.structure(matrix_);
  now_ = outlook(structure);
  const double kind =
      std::min(outlook(kindest(structure, false)).best.seconds, outlook(kindest(structure, true)).best.seconds);
  found_.bound = std::max(0.0, 1 - kind / now_.best.seconds);
}

// Empty where it may pay.
std::string OrderSearch::why_not_try(const OrderTrial& trial) const {
  if (found_.bound < least_order_gain)
    return fmt::format("no order can gain more than {}", base::format_percent(found_.bound));
  const double most_saved = number(options_.iterations) * found_.bound * now_.best.seconds;
  if (options_.iterations > 0 && most_saved < trial.forecast_reordering_s)
    return fmt::format("it takes about {}, and {} products can save no more than {}",
                       base::format_seconds(trial.forecast_reordering_s), base::format_count(options_.iterations),
                       base::format_seconds(most_saved));
  if (best_ && found_.bound - found_.trials[*best_].gain < least_order_gain)
    return fmt::format("{} gains nearly all that any order can", to_string(found_.trials[*best_].ordering));
  return {};
}

// Beyond the forecast's interval, and beyond what it costs.
bool OrderSearch::pays(const OrderTrial& trial) const {
  if (trial.gain_low <= 0 || trial.gain <= least_order_gain) return false;
  const double saved = number(options_.iterations) * trial.gain_low * now_.best.seconds;
  return options_.iterations == 0 || saved > trial.reordering_s;
}

// Graph and order; the graph is made once for all of them.
Order OrderSearch::make(Ordering ordering) {
  if (ordering != Ordering::degree && !graph_) {
    const double start = base::now_s();
    graph_ = matrix::symmetric_graph(matrix_);
    graph_s_ = base::now_s() - start;
  }
  static const matrix::Graph none;
  return order_of(matrix_, graph_ ? *graph_ : none, ordering);
}

void OrderSearch::try_order(OrderTrial& trial, Ordering wanted) {
  const double had_graph_s = graph_s_, start = base::now_s();
  Order order = make(trial.ordering);
  Matrix permuted = sparsecast::permuted(matrix_, order, parts_.options.threads);
  trial.reordering_s = base::now_s() - start + (trial.ordering == Ordering::degree ? 0 : had_graph_s);
  trial.tried = true;
  const Outlook then = outlook(parts_.structure(permuted));
  const double spread = two_sided_90 * doubt(then) / now_.best.seconds;
  trial.seconds = then.best.seconds;
  trial.gain = 1 - then.best.seconds / now_.best.seconds;
  trial.gain_low = trial.gain - spread;
  trial.gain_high = trial.gain + spread;
  if (wanted == Ordering::none && !pays(trial)) {
    trial.reason = trial.gain <= least_order_gain ? "it gains too little"
                   : trial.gain_low <= 0          ? "its gain is within the forecast's uncertainty"
                                                  : "it does not come back over so many products";
    return;
  }
  const double total = then.cost + (options_.iterations > 0 ? trial.reordering_s : 0);
  if (best_ && total > alike * best_cost_) {
    trial.reason = fmt::format("{} is as good or better", to_string(found_.trials[*best_].ordering));
    return;
  }
  if (best_) found_.trials[*best_].reason = fmt::format("{} gains more", to_string(trial.ordering));
  best_ = static_cast<std::size_t>(&trial - found_.trials.data());
  best_cost_ = total;
  found_.order = std::move(order);
  found_.matrix = std::move(permuted);
}

// The strategy in the best order, beside the one in the old order.
void OrderSearch::settle(Ordering wanted) {
  if (!best_) return;
  OrderTrial& best = found_.trials[*best_];
  Strategy strategy = planner_.strategy(found_.matrix, options_);
  const double spread = best.gain_high - best.gain;
  found_.gain = 1 - strategy.predicted_s / found_.as_it_is.predicted_s;
  if (wanted == Ordering::none && (found_.gain - spread <= 0 || found_.gain <= least_order_gain)) {
    best.reason = "blocks in the old order gain as much";
    found_.order = {};
    found_.matrix = matrix_;
    found_.gain = 0;
    best_.reset();
    return;
  }
  found_.gain_low = found_.gain - spread;
  found_.gain_high = found_.gain + spread;
  found_.reordering_s = best.reordering_s;
  const auto plain = std::ranges::find(found_.as_it_is.singles, formats::default_kernel().name, &SingleKernel::kernel);
  if (plain != found_.as_it_is.singles.end()) {
    const double saved = plain->seconds - strategy.predicted_s;
    const double spent = strategy.conversion_s + found_.reordering_s - plain->conversion_s;
    strategy.break_even = saved > 0 ? static_cast<std::int64_t>(std::ceil(std::min(spent / saved, 1e15))) : -1;
  }
  found_.strategy = std::move(strategy);
}

void OrderSearch::give_reason(Ordering wanted) {
  if (best_) {
    found_.reason = wanted != Ordering::none
                        ? "the order was asked for"
                        : fmt::format("{} is predicted to save {} of every product, beyond the forecast's uncertainty",
                                      to_string(found_.order.kind), base::format_percent(found_.gain));
  } else if (matrix_.rows() != matrix_.cols()) {
    found_.reason = "orders of rows and columns together are for square matrices";
  } else if (found_.bound < least_order_gain) {
    found_.reason = fmt::format("no order can gain more than {}: x is read from near caches as it is",
                                base::format_percent(found_.bound));
  } else {
    found_.reason = "no order pays beyond the forecast's uncertainty and its cost";
  }
}

Reordering OrderSearch::find(Ordering wanted) {
  const double start = base::now_s();
  found_.matrix = matrix_;
  found_.as_it_is = found_.strategy = planner_.strategy(matrix_, options_);
  if (wanted != Ordering::none && matrix_.rows() != matrix_.cols()) (void)make(wanted);  // says what is wrong
  if (matrix_.rows() == matrix_.cols() && matrix_.nonzeros() > 0) {
    find_bound();
    const std::vector<Ordering> all = wanted == Ordering::none ? orderings() : std::vector<Ordering>{wanted};
    for (const Ordering ordering : all) found_.trials.emplace_back().ordering = ordering;
    for (OrderTrial& trial : found_.trials) {
      trial.forecast_reordering_s = forecast_reordering_s(trial.ordering, matrix_, plain_seconds());
      if (wanted == Ordering::none) trial.reason = why_not_try(trial);
      if (!trial.reason.empty()) continue;
      try {
        try_order(trial, wanted);
      } catch (const Error& error) {
        if (wanted != Ordering::none || error.code() == ErrorCode::interrupted) throw;
        trial.reason = error.reason();  // the other orders are none the worse
      }
    }
    settle(wanted);
  }
  give_reason(wanted);
  found_.search_s = base::now_s() - start;
  return std::move(found_);
}

}  // namespace planning

Reordering find_reordering(const Planner& planner, const Matrix& matrix, const StrategyOptions& options,
                           Ordering wanted) {
  return planning::OrderSearch(planner, matrix, options).find(wanted);
}

ReorderedPlan plan_reordered(const Matrix& matrix, const Profile& profile, const PlanOptions& options) {
  const Planner planner(profile, options.precision, options.threads, options.notice);
  Reordering found = find_reordering(planner, matrix, options.strategy);
  return {Plan(found.matrix, std::move(found.strategy)), std::move(found.order), std::move(found.reason)};
}

}  // namespace sparsecast
