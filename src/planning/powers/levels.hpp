#pragma once
// The order of levels: rows by their distance from one at the rim of the matrix's graph, so that a row's columns are in
// its own level and the two beside it. That is what lets a block of levels take a power while its neighbours have the
// one before (Alappat, Hager, Schenk & Wellein 2023, "Level-based blocking for sparse matrices", section 3).

#include <optional>
#include <sparsecast/matrix.hpp>
#include <vector>

namespace sparsecast::planning {
/// The old row at every new place, component after component, in a level those of one parent beside each other. Nothing
/// where a level holds more than a quarter of the rows: hubs reach everywhere, and no start makes such levels narrow.
/// The matrix is square and has at most 2³¹ − 1 rows.
[[nodiscard]] std::optional<std::vector<std::int64_t>> level_order(const Matrix& matrix);
}  // namespace sparsecast::planning
