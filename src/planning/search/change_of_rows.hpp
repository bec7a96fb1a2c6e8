#pragma once
// Where the rows of a matrix change character: borders between strips that part it into stretches that are like
// themselves and unlike each other. There a cut may win; sums over strips find them without forecasting any.

#include <sparsecast/matrix.hpp>

namespace sparsecast::planning {
/// Sums over some rows, of one strip or of several added up.
struct RowSums {
  double rows = 0, nonzeros = 0;
  double squared_lengths = 0;  ///< Σ length²
  double turns = 0;            ///< rows of another length than the row before
  double span = 0;             ///< Σ over rows of last − first column, over cols
  double adjacent = 0;         ///< pairs of adjacent columns

  void add(const RowSums& other);
};

/// Of every strip of `strip_rows` ≥ 1 rows, from all row lengths and a sample of the columns.
[[nodiscard]] std::vector<RowSums> sums_of_strips(const Matrix& matrix, std::int64_t strip_rows, int threads);

/// The last strip (from 1) of every stretch but the last, ascending; none where the rows are alike from first to last.
/// Every stretch holds at least a tenth of the non-zeros. At most `most_stretches` ≥ 1 stretches.
[[nodiscard]] std::vector<std::int64_t> changes_of_rows(const std::vector<RowSums>& strips, int most_stretches);

/// Whether a stretch between those borders may have what a form is made for: rows of one length, as on diagonals, or
/// runs of columns, as in blocks. False where there are no borders.
[[nodiscard]] bool some_stretch_is_regular(const std::vector<RowSums>& strips,
                                           const std::vector<std::int64_t>& borders);

// The dynamic program of Guo, Wang & Chen (2014), section 4 and figures 8 and 11: the cut of N strips into blocks whose
// predicted times add up to the least. It knows nothing of matrices or kernels: a table of block times goes in, column
// by column so that the table is never held, and a cut comes out.

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
