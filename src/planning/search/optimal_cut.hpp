#pragma once
// The dynamic program of Guo, Wang & Chen (2014), section 4 and figures 8 and 11: the cut of N strips into blocks whose
// predicted times add up to the least. It knows nothing of matrices or kernels: a table of block times goes in, column
// by column so that the table is never held, and a cut comes out.

#include <cstdint>
#include <span>
#include <vector>

namespace sparsecast::planning {
/// E[i, j] and F[i, j] of the paper: the least time of the block of strips i … j and the kernel that has it.
class BlockTimes {
 public:
  virtual ~BlockTimes() = default;
  /// N ≥ 1.
  [[nodiscard]] virtual std::int64_t strips() const = 0;
  /// E[i, j] → seconds[i − 1] and F[i, j] → kernels[i − 1] for i = 1 … j. Asked for j = 1, 2, …, N in this order;
  /// both spans have room for j entries.
  virtual void column(std::int64_t j, std::span<double> seconds, std::span<std::int32_t> kernels) = 0;
};

/// Strips first … last, counted from 1.
struct CutBlock {
  std::int64_t first = 1, last = 1;
  std::int32_t kernel = 0;
  double seconds = 0;
};

struct Cut {
  std::vector<CutBlock> blocks;  ///< in order; empty where there is no such cut
  double seconds = 0;
};

struct CutSearch {
  Cut best;     ///< of all cuts, the uncut matrix among them; fewest blocks where several take as long
  Cut several;  ///< the best of those into two or more blocks; empty where N is 1 or max_blocks is 1
};

/// SPMV_OPTIMAL_SOLUTION and PRINT_OPTIMAL_STRATEGY of the paper's figure 11, with ties kept at fewer blocks. O(N²)
/// time, O(N) memory.
[[nodiscard]] CutSearch optimal_cut(BlockTimes& times);

/// The same with at most max_blocks ≥ 1 blocks. O(N²·max_blocks) time, O(N·max_blocks) memory.
[[nodiscard]] CutSearch optimal_cut(BlockTimes& times, int max_blocks);
}  // namespace sparsecast::planning
