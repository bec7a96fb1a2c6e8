#pragma once
// Draws distinct sorted numbers uniformly, in time proportional to how many are drawn.

#include <span>
#include <vector>

#include "matrix/generate/counter_random.hpp"

namespace sparsecast::matrix {
/// Memory that is reused from row to row.
struct DrawScratch {
  std::vector<std::uint64_t> words;
  std::vector<std::uint32_t> buckets;
  std::vector<std::int32_t> drawn, merged;
};

/// Fills `out` with distinct numbers from 0 … bound − 1, ascending, every set equally likely. out.size() ≤ bound <
/// 2^31.
void draw_distinct(CounterRandom& random, std::int64_t bound, std::span<std::int32_t> out, DrawScratch& scratch);
}  // namespace sparsecast::matrix
