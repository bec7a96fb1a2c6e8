#pragma once
// What an order costs before it is paid: multiples of a product's time by matrix size, measured
// (docs/results-reordering.md).

#include <sparsecast/reorder.hpp>

namespace sparsecast::planning {

/// Seconds of making the order and permuting the matrix. `plain_s`: forecast of one product by the default kernel on
/// one thread, in the old order.
[[nodiscard]] double forecast_reordering_s(Ordering ordering, const Matrix& matrix, double plain_s);

}  // namespace sparsecast::planning
