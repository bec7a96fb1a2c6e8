#include "planning/reorder/order_search.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "formats/kernels.hpp"
#include "planning/search/doubt.hpp"

namespace sparsecast {
namespace planning {
namespace {
// An order that promises less is within what another placement in memory does to a product.
constexpr double least_order_gain = 0.05;
// What making the order and permuting cost in products on one thread, measured (docs/results-reordering.md): walks over
// the graph read as a product reads x, so that a product's time carries the machine and the disorder.
constexpr double products_of_reordering = 80;

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
    : planner_(planner), parts_(*planner.parts_), matrix_(matrix), options_(options), cost_{options.iterations} {}

// As the planner ranks them, among the kernels that it may take: other ones are no reason for an order.
Forecast OrderSearch::outlook(const Structure& structure) const {
  Forecast best;
  for (Forecast& forecast : parts_.forecasts(structure, {options_.vectors, options_.transposed})) {
    if (!may_take(options_, forecast.kernel)) continue;
    if (best.kernel.empty() || rank(forecast, cost_) < rank(best, cost_)) best = std::move(forecast);
  }
  return best;
}

// One product as it stands, by one thread.
double OrderSearch::plain_seconds() const {
  const double seconds = plain_ ? plain_->seconds : found_.as_it_is.best_single.seconds;
  return seconds * std::max(1, parts_.options.threads);
}

// Standard deviation of the error of (seconds then − seconds now): what one kernel does alike in both orders errs
// alike, and the difference errs as the forecasts do. Never more than if both erred independently.
double OrderSearch::doubt(const Forecast& then) const {
  const double now_s = now_.seconds, then_s = then.seconds, deviation = deviation_of(now_);
  const double apart = std::hypot(deviation * now_s, deviation_of(then) * then_s);
  if (now_.kernel != then.kernel) return apart;
  return std::min(apart, std::hypot(least_disagreement * then_s, deviation * (now_s - then_s)));
}

void OrderSearch::find_bound() {
  const Structure structure = parts_.structure(matrix_);
  now_ = outlook(structure);
  plain_ = plain_among(parts_.forecasts(structure, {options_.vectors, options_.transposed}));
  double kind = now_.seconds;
  for (const bool side_by_side : {false, true})
    if (const Forecast then = outlook(kindest(structure, side_by_side)); !then.kernel.empty())
      kind = std::min(kind, then.seconds);
  found_.bound = 1 - kind / now_.seconds;
}

// Empty where it may pay.
std::string OrderSearch::why_not_try(const OrderTrial& trial) const {
  if (found_.bound < least_order_gain)
    return fmt::format("no order can gain more than {}", base::format_percent(found_.bound));
  const double most_saved = number(options_.iterations) * found_.bound * now_.seconds;
  if (options_.iterations > 0 && most_saved < trial.forecast_reordering_s)
    return fmt::format("it takes about {}, and {} products can save no more than {}",
                       base::format_seconds(trial.forecast_reordering_s), base::format_count(options_.iterations),
                       base::format_seconds(most_saved));
  return {};
}

// Beyond the forecast's interval, and beyond what it costs.
bool OrderSearch::pays(const OrderTrial& trial) const {
  if (trial.gain_low <= 0 || trial.gain <= least_order_gain) return false;
  const double saved = number(options_.iterations) * trial.gain_low * now_.seconds;
  return options_.iterations == 0 || saved > trial.reordering_s;
}

void OrderSearch::try_order(OrderTrial& trial, bool asked) {
  const double start = base::now_s();
  Order order = make_order(matrix_, trial.ordering);
  Matrix permuted = sparsecast::permuted(matrix_, order, parts_.options.threads);
  trial.reordering_s = base::now_s() - start;
  const Forecast then = outlook(parts_.structure(permuted));
  if (then.kernel.empty())
    throw Error(ErrorCode::failed,
                fmt::format("none of the kernels takes it in the order {}", to_string(trial.ordering)),
                {matrix_.name()}, "name other kernels, or none");
  trial.tried = true;
  const double spread = two_sided_90 * doubt(then) / now_.seconds;
  trial.seconds = then.seconds;
  trial.gain = 1 - then.seconds / now_.seconds;
  trial.gain_low = trial.gain - spread;
  trial.gain_high = std::min(1.0, trial.gain + spread);
  if (!asked && !pays(trial)) {
    trial.reason = trial.gain <= least_order_gain ? "it gains too little"
                   : trial.gain_low <= 0          ? "its gain is within the forecast's uncertainty"
                                                  : "it does not come back over so many products";
    return;
  }
  found_.order = std::move(order);
  found_.matrix = std::move(permuted);
  settle(trial, asked);
}

// The strategy in the order, beside the one in the old order.
void OrderSearch::settle(OrderTrial& trial, bool asked) {
  Strategy strategy = planner_.strategy(found_.matrix, options_);
  const double spread = trial.gain - trial.gain_low;
  found_.gain = 1 - strategy.predicted_s / found_.as_it_is.predicted_s;
  if (!asked && (found_.gain - spread <= 0 || found_.gain <= least_order_gain)) {
    trial.reason = "blocks in the old order gain as much";
    found_.order = {};
    found_.matrix = matrix_;
    found_.gain = 0;
    return;
  }
  found_.gain_low = found_.gain - spread;
  found_.gain_high = std::min(1.0, found_.gain + spread);
  found_.reordering_s = trial.reordering_s;
  if (plain_) find_break_even(strategy, *plain_, found_.reordering_s);
  found_.strategy = std::move(strategy);
}

void OrderSearch::give_reason(bool asked) {
  if (found_.order.kind != Ordering::none) {
    found_.reason = asked
                        ? "the order was asked for"
                        : fmt::format("{} is predicted to save {} of every product, beyond the forecast's uncertainty",
                                      to_string(found_.order.kind), base::format_percent(found_.gain));
  } else if (matrix_.rows() != matrix_.cols()) {
    found_.reason = "orders of rows and columns together are for square matrices";
  } else if (matrix_.is_complex()) {
    found_.reason = "orders of rows and columns are for matrices of real values";
  } else if (matrix_.nonzeros() == 0) {
    found_.reason = "a matrix without non-zeros is the same in every order";
  } else if (found_.bound < least_order_gain) {
    found_.reason = fmt::format("no order can gain more than {}: x is read from near caches as it is",
                                base::format_percent(found_.bound));
  } else {
    found_.reason = "no order pays beyond the forecast's uncertainty and its cost";
  }
}

Reordering OrderSearch::find(bool asked) {
  const double start = base::now_s();
  found_.matrix = matrix_;
  found_.as_it_is = found_.strategy = planner_.strategy(matrix_, options_);
  if (asked && matrix_.rows() != matrix_.cols()) (void)make_order(matrix_, Ordering::rcm);  // says what is wrong
  if (asked && matrix_.is_complex())
    throw Error(ErrorCode::usage, "the values are complex, and orders of rows and columns are for real ones",
                {matrix_.name()}, wording::format("omit {}", wording::option("order")));
  if (matrix_.rows() == matrix_.cols() && matrix_.nonzeros() > 0 && !matrix_.is_complex()) {
    find_bound();
    OrderTrial& trial = found_.trials.emplace_back();
    trial.ordering = Ordering::rcm;
    trial.forecast_reordering_s = products_of_reordering * plain_seconds();
    if (!asked) trial.reason = why_not_try(trial);
    try {
      if (trial.reason.empty()) try_order(trial, asked);
    } catch (const Error& error) {
      if (asked || error.code() == ErrorCode::interrupted) throw;
      trial.reason = error.reason();
    }
  }
  give_reason(asked);
  found_.search_s = base::now_s() - start;
  return std::move(found_);
}
}  // namespace planning

void planning::find_break_even_in_order(Strategy& strategy, const Reordering& found) {
  const auto& singles = found.as_it_is.singles;
  const auto plain = std::ranges::find(singles, formats::default_kernel().name, &SingleKernel::kernel);
  if (found.order.kind != Ordering::none && plain != singles.end())
    find_break_even(strategy, *plain, found.reordering_s);
}

Reordering find_reordering(const Planner& planner, const Matrix& matrix, const StrategyOptions& options,
                           Ordering wanted) {
  return planning::OrderSearch(planner, matrix, options).find(wanted != Ordering::none);
}
}  // namespace sparsecast
