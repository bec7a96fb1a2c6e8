#pragma once
// What powers by blocks cost: a first power that reads its block from memory, like any product, further ones at the
// speed of the caches that hold what is resident between them, and what writing the vectors takes.

#include <sparsecast/plan.hpp>

#include "planning/powers/row_blocks.hpp"

namespace sparsecast::planning {
/// One way of blocking.
struct Blocking {
  std::int64_t block_rows = 0, depth = 0, blocks = 0;
  double resident_rows = 0;
};

/// Ways of blocking k powers of the matrix, for so many threads: by depth, each with blocks that are small beside what
/// rows reach and large beside what a call takes.
[[nodiscard]] std::vector<Blocking> ways_to_block(const Matrix& matrix, std::int64_t k, int threads);

/// Rows first … last − 1 with their columns counted from the lowest, as a matrix of its own: what a model is asked
/// about where a stretch of a matrix stays in the caches.
[[nodiscard]] Matrix stretch_of_rows(const Matrix& matrix, std::int64_t first, std::int64_t last);

struct PowersCost {
  double last_s = 0, all_s = 0;
};

/// What the cost is made of, in seconds.
struct PowersTimes {
  double memory_s = 0;  ///< a product of the whole matrix
  double cached_s = 0;  ///< one at the speed of the caches, on all threads
  double vector_s = 0;  ///< writing a vector that is in no cache and goes back to memory
  double waits_s = 0;   ///< all looks of a thread at its neighbours' blocks
  double move_s = 0;    ///< a vector into the order of levels, or out of it; 0: the rows stand as they were given
};
[[nodiscard]] PowersCost cost_of_powers(const PowersTimes& times, std::int64_t k, std::int64_t depth);
}  // namespace sparsecast::planning
