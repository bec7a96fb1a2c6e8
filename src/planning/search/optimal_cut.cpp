#include "planning/search/optimal_cut.hpp"

#include <algorithm>

#include "base/interrupt.hpp"
#include "planning/search/numbers.hpp"

namespace sparsecast::planning {
namespace {
// The last block of the best cut of strips 1 … j; what stands before it is the best cut of strips 1 … split.
struct Tail {
  double seconds = never;  // T[1, j]
  std::int64_t split = 0;  // S[1, j]; 0 (the paper: j) where strips 1 … j are one block
  std::int64_t blocks = 0;
  std::int32_t kernel = 0;  // F[split + 1, j]
  double last_seconds = 0;  // E[split + 1, j]

  // Fewer blocks where the time is the same.
  [[nodiscard]] bool worse_than(double other_seconds, std::int64_t other_blocks) const {
    return other_seconds < seconds || (other_seconds == seconds && other_blocks < blocks);
  }
};

// PRINT_OPTIMAL_STRATEGY: from the last block back to the first.
Cut strategy(const std::vector<Tail>& tails, const Tail& whole, std::int64_t strips) {
  Cut cut;
  if (whole.seconds == never) return cut;
  cut.seconds = whole.seconds;
  Tail tail = whole;
  for (std::int64_t j = strips; j > 0; j = tail.split, tail = tails[at(j)]) {
    cut.blocks.push_back({tail.split + 1, j, tail.kernel, tail.last_seconds});
    if (tail.split == 0) break;
  }
  std::ranges::reverse(cut.blocks);
  return cut;
}
}  // namespace

CutSearch optimal_cut(BlockTimes& times) {
  const std::int64_t N = times.strips();
  std::vector<double> E(at(N));        // E[·, j] of the current j
  std::vector<std::int32_t> F(at(N));  // F[·, j]
  std::vector<Tail> T(at(N) + 1);      // T[j]: T[1, j] and S[1, j]
  Tail several;
  for (std::int64_t j = 1; j <= N; ++j) {
    base::throw_if_interrupted();
    times.column(j, std::span(E).first(at(j)), std::span(F).first(at(j)));
    T[at(j)] = {E[0], 0, 1, F[0], E[0]};
    for (std::int64_t k = 1; k < j; ++k) {
      const double q = T[at(k)].seconds + E[at(k)];  // E[k + 1, j]
      const std::int64_t blocks = T[at(k)].blocks + 1;
      if (T[at(j)].worse_than(q, blocks)) T[at(j)] = {q, k, blocks, F[at(k)], E[at(k)]};
      if (j == N && several.worse_than(q, blocks)) several = {q, k, blocks, F[at(k)], E[at(k)]};
    }
  }
  return {strategy(T, T[at(N)], N), strategy(T, several, N)};
}

CutSearch optimal_cut(BlockTimes& times, int max_blocks) {
  const std::int64_t N = times.strips();
  const auto most = std::min<std::int64_t>(std::max(1, max_blocks), N);
  std::vector<double> E(at(N));
  std::vector<std::int32_t> F(at(N));
  // T[b][j]: the best cut of strips 1 … j into exactly b + 1 blocks.
  std::vector<std::vector<Tail>> T(at(most), std::vector<Tail>(at(N) + 1));
  for (std::int64_t j = 1; j <= N; ++j) {
    base::throw_if_interrupted();
    times.column(j, std::span(E).first(at(j)), std::span(F).first(at(j)));
    T[0][at(j)] = {E[0], 0, 1, F[0], E[0]};
    for (std::int64_t b = 1; b < std::min(most, j); ++b) {
      for (std::int64_t k = b; k < j; ++k) {
        const double q = T[at(b - 1)][at(k)].seconds + E[at(k)];
        if (T[at(b)][at(j)].worse_than(q, b + 1)) T[at(b)][at(j)] = {q, k, b + 1, F[at(k)], E[at(k)]};
      }
    }
  }
  const auto exactly = [&](std::int64_t blocks) {
    Cut cut;
    if (T[at(blocks - 1)][at(N)].seconds == never) return cut;
    cut.seconds = T[at(blocks - 1)][at(N)].seconds;
    for (std::int64_t j = N, b = blocks - 1; b >= 0; --b) {
      const Tail& tail = T[at(b)][at(j)];
      cut.blocks.push_back({tail.split + 1, j, tail.kernel, tail.last_seconds});
      j = tail.split;
    }
    std::ranges::reverse(cut.blocks);
    return cut;
  };
  CutSearch search;
  search.best = exactly(1);
  for (std::int64_t blocks = 2; blocks <= most; ++blocks) {
    Cut cut = exactly(blocks);
    if (cut.blocks.empty()) continue;
    if (cut.seconds < search.best.seconds) search.best = cut;
    if (search.several.blocks.empty() || cut.seconds < search.several.seconds) search.several = std::move(cut);
  }
  return search;
}
}  // namespace sparsecast::planning
