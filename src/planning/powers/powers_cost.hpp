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

/// `memory_s`: a product of the whole matrix; `cached_s`: one at the speed of the caches, on all threads;
/// `vector_s`: writing a vector that is in no cache and comes back to memory; `moves`: into the order of levels and
/// out.
struct PowersTimes {
  double memory_s = 0, cached_s = 0, vector_s = 0;
  bool moves = false;
};
[[nodiscard]] PowersCost cost_of_powers(const PowersTimes& times, std::int64_t k, std::int64_t depth);
}  // namespace sparsecast::planning
