#pragma once
// Reverse Cuthill–McKee: every component breadth first from a vertex at its rim, neighbours by degree, all reversed. It
// keeps the entries of a row near the diagonal (Cuthill & McKee 1969; George & Liu 1979 for the rim).

#include <cstdint>
#include <vector>

#include "matrix/order/symmetric_graph.hpp"

namespace sparsecast::planning {

/// The old vertex at each new place.
[[nodiscard]] std::vector<std::int64_t> reverse_cuthill_mckee(const matrix::Graph& graph);

}  // namespace sparsecast::planning
