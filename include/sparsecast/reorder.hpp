#pragma once
// Another order of rows and columns: P·A·Pᵀ multiplies faster where entries that stand far apart come together, because
// x is read out of nearer caches. It costs the order and the permuting, once, and x and y are in the new order: a solve
// takes b into it at its start and the solution out of it at its end, and pays nothing in between.
//
// For example, a solver's product by a matrix in the order that pays over 5,000 products, once `sparsecast calibrate`
// has measured this machine:
//
//   #include <cstdio>
//   #include <sparsecast/generate.hpp>
//   #include <sparsecast/reorder.hpp>
//   #include <vector>
//
//   int main() {
//     const sparsecast::Matrix matrix = sparsecast::generate({.kind = "poisson2d", .parameters = {.size = 100}});
//     const sparsecast::ReorderedPlan fast =
//         sparsecast::plan_reordered({.matrix = matrix, .strategy = {.iterations = 5000}});
//     const std::vector<double> b(matrix.rows(), 1.0);
//     std::vector<double> x(b.size()), y(b.size());
//     fast.order.into(b, x);  // before the solve
//     fast.plan.apply(x, y);  // as often as the solve needs
//     fast.order.out_of(y, x);  // after it
//     std::printf("%s: %s\n", to_string(fast.order.kind).data(), fast.reason.c_str());
//   }
//
// Thread safety: the structs are values; threads may share one that none of them changes. The functions are safe from
// several threads at once.

#include <cstdint>
#include <span>
#include <sparsecast/matrix.hpp>
#include <sparsecast/ordering.hpp>
#include <sparsecast/plan.hpp>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A permutation: which old row and column is at each new place.
struct Order {
  Ordering kind = Ordering::none;
  std::vector<std::int64_t> old_place;  ///< each number from 0 to rows − 1 once; empty: nothing moves

  /// Brings a vector into the order: to[p] = from[old_place[p]]. Error usage: other sizes, shared memory, or no order.
  void into(std::span<const double> from, std::span<double> to) const;
  void into(std::span<const float> from, std::span<float> to) const;
  /// Brings a vector back into the original order: to[old_place[p]] = from[p]. Errors as into().
  void out_of(std::span<const double> from, std::span<double> to) const;
  void out_of(std::span<const float> from, std::span<float> to) const;
};

/// Makes an order; the result is the same in every run. Error usage if the matrix is not square; too_large if the
/// number of rows does not fit 32 bits.
[[nodiscard]] Order make_order(const Matrix& matrix, Ordering ordering);

/// P·A·Pᵀ. Error usage where the order is of another size or no order at all. `threads` 0: default_threads().
[[nodiscard]] Matrix permuted(const Matrix& matrix, const Order& order, int threads = 0);

/// One order that was looked at.
struct OrderTrial {
  Ordering ordering = Ordering::none;
  double seconds = 0;                            ///< forecast of one product in that order
  double gain = 0, gain_low = 0, gain_high = 0;  ///< share of the product's time saved, 90 % interval
  double forecast_reordering_s = 0;              ///< making and permuting, before it was paid
  double reordering_s = 0;                       ///< as it took; 0 where it was not tried
  bool tried = false;
  std::string reason;  ///< why it was not tried or is not taken; empty for the one that is
};

/// What find_reordering() found.
struct Reordering {
  Order order;                                   ///< kind none where no order pays
  Matrix matrix;                                 ///< in that order
  Strategy strategy;                             ///< for it; break_even counts the reordering
  Strategy as_it_is;                             ///< the best in the old order
  double gain = 0, gain_low = 0, gain_high = 0;  ///< of the product, over the best strategy in the old order
  double reordering_s = 0;                       ///< making the order and permuting the matrix; 0 for none
  double bound = 0;     ///< forecast of the share that no order can exceed in the existing formats
  double search_s = 0;  ///< total time of the search for an order
  std::vector<OrderTrial> trials;
  std::string reason;
};

/// Forecasts whether another order pays: first a bound that costs nothing, then the order is made, permuted
/// and forecast, where the bound and `options.iterations` leave it. `wanted`: that one, whether it pays or not; none:
/// if it pays beyond the forecast's interval. A matrix that is not square, or is complex, stays as it is. Error usage
/// where an order of such a one is wanted.
[[nodiscard]] Reordering find_reordering(const Planner& planner, const Matrix& matrix,
                                         const StrategyOptions& options = {}, Ordering wanted = Ordering::none);

/// A plan that holds a reordering.
struct ReorderedPlan {
  Plan plan;    ///< plan for the permuted matrix: x and y are in `order`
  Order order;  ///< kind none: x and y are in the original order
  std::string reason;
};
/// plan() in that order of rows and columns, or, for none, in the one that pays. Errors as plan()'s and
/// find_reordering()'s; usage where a kernel is named, of which nothing is forecast.
[[nodiscard]] ReorderedPlan plan_reordered(const PlanRequest& request, Ordering wanted = Ordering::none);

}  // namespace sparsecast
#pragma GCC visibility pop
