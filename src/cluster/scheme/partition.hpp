#pragma once
// METIS k-way partition of the rows for g1dr and l1dr: the graph of A + Aᵀ without its diagonal, least edge cut. Rows
// weigh their non-zeros plus one, because the work of a process is its non-zeros and one store per row; with the
// paper's equal row counts a power-law matrix leaves one process with most of the work.

#include <cstdint>
#include <sparsecast/matrix.hpp>
#include <vector>

namespace sparsecast::cluster {
/// True where METIS was built in.
bool has_partitioner();

/// The process of every row, 0 … processes − 1; the same on every run. Some processes may get no row (there may be more
/// of them than rows). Error unavailable without METIS or where the graph has more than 2³¹ − 1 edges.
std::vector<std::int32_t> partition_rows(const Matrix& matrix, int processes);

/// Where rows and entries of x live: position p of process q is in [first(q), first(q + 1)).
struct RowOrder {
  std::vector<std::int64_t> first;     ///< processes + 1 positions
  std::vector<std::int64_t> position;  ///< of every row
  std::vector<std::int64_t> row;       ///< at every position

  [[nodiscard]] int processes() const { return static_cast<int>(first.size()) - 1; }
  [[nodiscard]] int owner(std::int64_t position) const;
};

/// Rows ordered by part, within a part by number.
RowOrder order_rows(const std::vector<std::int32_t>& parts, int processes);
}  // namespace sparsecast::cluster
