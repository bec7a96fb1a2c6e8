#pragma once
// A process's part of an R-MAT matrix that is not made: rows dealt at random, whose entries follow from the recursive
// probabilities alone.

#include <cstdint>
#include <sparsecast/matrix.hpp>

namespace sparsecast::cluster {
struct RmatCounts {
  int scale = 0;     ///< logarithm of the rows
  double edges = 0;  ///< drawn, both directions of a symmetric one
  bool symmetric = false;
};

/// Entries of the matrix, which has an edge that is drawn twice once: the expectation, by how many levels of an entry's
/// place are upper left, lower right or neither. A symmetric one has a whole diagonal and no loop among its edges.
[[nodiscard]] double distinct_entries(const RmatCounts& rmat);

/// Columns that so many of the edges, dealt at random, lie in: the expectation, by the number of ones in a column's
/// binary number.
[[nodiscard]] double distinct_columns(const RmatCounts& rmat, double edges);

/// The block of so many rows picked at random, its columns numbered by owner, one of `processes`, and then by number.
[[nodiscard]] Matrix rmat_block(const RmatCounts& rmat, std::int64_t rows, int processes, std::uint64_t seed);
}  // namespace sparsecast::cluster
