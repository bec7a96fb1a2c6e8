#pragma once
// Orders out of a graph, for a search that makes several of them from one.

#include <sparsecast/reorder.hpp>

#include "matrix/order/symmetric_graph.hpp"

namespace sparsecast::planning {

/// degree: rows above the mean come first, by their entries and those of their columns. It needs no graph.
[[nodiscard]] std::vector<std::int64_t> degree_order(const Matrix& matrix);

/// `graph`: of the matrix; not looked at for degree.
[[nodiscard]] Order order_of(const Matrix& matrix, const matrix::Graph& graph, Ordering ordering);

}  // namespace sparsecast::planning
