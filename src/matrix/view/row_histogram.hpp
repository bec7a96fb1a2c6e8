#pragma once
// The histogram of row lengths: its bins, and as bars of text.

#include <sparsecast/structure.hpp>

namespace sparsecast::matrix {
struct RowLengthBin {
  std::int64_t first = 0, last = 0;  ///< lengths
  std::int64_t rows = 0;
};

/// One bin per length where few occur, else per power of two.
std::vector<RowLengthBin> row_length_bins(std::span<const RowLengthCount> lengths);

/// One line per length where few occur, else per power of two: lengths, bar, rows, share. `width`: columns of the
/// longest bar.
std::string row_histogram_text(const Structure& structure, int width = 40);
}  // namespace sparsecast::matrix
