#pragma once
// The truth about an order of rows and columns: plans in the new and the old one, timed in turns.

#include <sparsecast/reorder.hpp>

#include "planning/run/turns.hpp"

namespace sparsecast::planning {
/// The truth about an order: the plan in the new order and the best one in the old order, timed in turns; what making
/// the order took, once more; y of both compared.
struct MeasuredOrder {
  double gain = 0, low = 0, high = 0;  ///< share of the old order's time that is saved, over rounds
  double old_s = 0, new_s = 0;         ///< medians
  double reordering_s = 0;             ///< order and permuting
  double largest_error = 0;            ///< of y, out of the new order, against the old one's
  int rounds = 0;
};

/// `as_it_is`: the plan in the old order; `plan`: that of found.matrix. All 0 where nothing was reordered: they are the
/// same program.
[[nodiscard]] MeasuredOrder measure_order(const Matrix& matrix, const Reordering& found, const Plan& as_it_is,
                                          const Plan& plan, const MeasureOptions& options = {});
}  // namespace sparsecast::planning
