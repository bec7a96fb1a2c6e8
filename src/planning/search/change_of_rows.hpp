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
}  // namespace sparsecast::planning
