#pragma once
// Parts of a graph partition, one after the other: the entries of a row lie in its part for the most part, so that
// what is read of x stays in a near cache while a part is multiplied.

#include <cstdint>
#include <vector>

#include "matrix/order/symmetric_graph.hpp"

namespace sparsecast::planning {

/// Whether METIS was built in.
[[nodiscard]] bool has_metis();

/// The old vertex at each new place. Error unavailable without METIS, or where the graph has more ends of edges than
/// METIS counts in 32 bits.
[[nodiscard]] std::vector<std::int64_t> metis_order(const matrix::Graph& graph);

}  // namespace sparsecast::planning
