#pragma once
// The histogram of row lengths as bars of text.

#include <sparsecast/structure.hpp>
#include <string>

namespace sparsecast::matrix {

/// One line per length where few occur, else per power of two: lengths, bar, rows, share. `width`: columns of the
/// longest bar.
std::string row_histogram_text(const Structure& structure, int width = 40);

}  // namespace sparsecast::matrix
