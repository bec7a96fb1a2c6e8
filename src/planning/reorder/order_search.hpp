#pragma once
// Whether another order pays: what no order can beat first, then the order, made, permuted and forecast by the
// planner's own models.

#include <sparsecast/reorder.hpp>

#include "planning/search/cost.hpp"
#include "planning/search/planner_parts.hpp"

namespace sparsecast::planning {
/// The matrix as the kindest order would leave it: every line of x read once and then found in the first cache, every
/// end of a row foreseen. `side_by_side`: its entries next to each other as well.
[[nodiscard]] Structure kindest(Structure structure, bool side_by_side);

/// After the strategy in the order came to other times: its break-even against csr in the old order, with what the
/// order cost. Nothing where there is no order, or where csr was left out.
void find_break_even_in_order(Strategy& strategy, const Reordering& found);

class OrderSearch {
 public:
  /// What it refers to must outlive it.
  OrderSearch(const Planner& planner, const Matrix& matrix, const StrategyOptions& options);
  /// `asked`: the order is made whether it pays or not.
  [[nodiscard]] Reordering find(bool asked);

 private:
  // The kernel that finishes first on a structure; without a name where none may be taken.
  [[nodiscard]] Forecast outlook(const Structure& structure) const;
  [[nodiscard]] double plain_seconds() const;
  [[nodiscard]] double doubt(const Forecast& then) const;
  [[nodiscard]] std::string why_not_try(const OrderTrial& trial) const;
  [[nodiscard]] bool pays(const OrderTrial& trial) const;
  void find_bound();
  void try_order(OrderTrial& trial, bool asked);
  void settle(OrderTrial& trial, bool asked);
  void give_reason(bool asked);

  const Planner& planner_;
  const Planner::Parts& parts_;
  const Matrix& matrix_;
  const StrategyOptions& options_;
  const Cost cost_;
  Forecast now_;
  std::optional<SingleKernel> plain_;  // csr in the old order
  Reordering found_;
};
}  // namespace sparsecast::planning
