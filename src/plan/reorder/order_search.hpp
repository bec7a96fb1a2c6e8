#pragma once
// Whether another order pays: what no order can beat first, then the orders one after the other, cheapest first, each
// made, permuted and forecast by the planner's own models.

#include <optional>
#include <sparsecast/reorder.hpp>

#include "matrix/order/symmetric_graph.hpp"
#include "plan/search/planner_parts.hpp"

namespace sparsecast::planning {

/// The matrix as the kindest order would leave it: every line of x read once and then found in the first cache, every
/// end of a row foreseen. `side_by_side`: its entries next to each other as well.
[[nodiscard]] Structure kindest(Structure structure, bool side_by_side);

class OrderSearch {
 public:
  /// What it refers to must outlive it.
  OrderSearch(const Planner& planner, const Matrix& matrix, const StrategyOptions& options);
  [[nodiscard]] Reordering find(Ordering wanted);

 private:
  // The kernel that finishes first on a structure.
  struct Outlook {
    Forecast best;
    double cost = 0;  // of what is asked: the product, or the conversion and so many products
  };
  [[nodiscard]] Outlook outlook(const Structure& structure) const;
  [[nodiscard]] double cost(double seconds, double conversion_s) const;
  [[nodiscard]] double plain_seconds() const;
  [[nodiscard]] double doubt(const Outlook& then) const;
  [[nodiscard]] std::string why_not_try(const OrderTrial& trial) const;
  [[nodiscard]] bool pays(const OrderTrial& trial) const;
  void find_bound();
  [[nodiscard]] Order make(Ordering ordering);
  void try_order(OrderTrial& trial, Ordering wanted);
  void settle(Ordering wanted);
  void give_reason(Ordering wanted);

  const Planner& planner_;
  const Planner::Parts& parts_;
  const Matrix& matrix_;
  const StrategyOptions& options_;
  Outlook now_;
  std::optional<matrix::Graph> graph_;
  double graph_s_ = 0;
  double best_cost_ = 0;
  std::optional<std::size_t> best_;  // of the trials
  Reordering found_;
};

}  // namespace sparsecast::planning
