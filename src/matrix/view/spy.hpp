#pragma once
// The picture of a matrix: how many non-zeros fall into each cell of a grid laid over it. Drawing it as text is here,
// as an image in spy_picture.hpp.

#include <filesystem>
#include <sparsecast/matrix.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <vector>
#include "base/page/text_layout.hpp"

namespace sparsecast::matrix {
struct SpyRaster {
  int width = 0, height = 0;
  std::vector<std::int64_t> counts;  ///< height × width, row by row
  std::int64_t most = 0;             ///< non-zeros in the fullest cell

  [[nodiscard]] std::int64_t at(int x, int y) const {
    return counts[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
  }
  /// Density of a cell on a logarithmic scale: 0 where it is empty, 1 at the fullest cell.
  [[nodiscard]] double shade(int x, int y) const;
};

/// A grid with the matrix's proportions and at most `longest` cells along its longer side (1 at least along the other).
/// Every entry of a matrix that is smaller than that gets a square of several cells.
SpyRaster rasterize(const Matrix& matrix, int longest, int threads = 0);

/// Braille characters, 2 × 4 cells each, in a frame: dense regions are full, thin ones dithered. Lines end in '\n'.
std::string spy_text(const SpyRaster& raster);
}  // namespace sparsecast::matrix
