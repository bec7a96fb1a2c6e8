#pragma once
// The picture of a matrix: how many non-zeros fall into each cell of a grid laid over it. Drawing it as text is here,
// as an image in spy.hpp.

#include <filesystem>
#include <sparsecast/structure.hpp>

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

// The picture of a matrix as an image: PNG and SVG, both as the bytes of the file.

/// What stands around a picture: a title, the sizes below it, numbers along the rows and columns.
struct SpyLabels {
  std::string title;
  std::int64_t rows = 0, cols = 0, nonzeros = 0;
};

/// 8-bit greyscale PNG, one pixel per cell: white where empty, darker the more non-zeros. Nothing else.
std::string spy_png(const SpyRaster& raster);
/// The same with axes and labels around it.
std::string spy_png(const SpyRaster& raster, const SpyLabels& labels);
/// SVG with one rectangle per horizontal run of equally dark cells, with axes and labels.
std::string spy_svg(const SpyRaster& raster, const SpyLabels& labels);

/// Round numbers from 0 on, below `size`, about `about` of them: where an axis has its numbers.
std::vector<std::int64_t> axis_numbers(std::int64_t size, int about);

/// Draws the matrix into a file: PNG (up to 1024 pixels) or SVG (up to 256 cells) by its ending. Error usage for
/// another ending, failed where the file cannot be written.
void write_spy_picture(const Matrix& matrix, const std::filesystem::path& file, int threads = 0);

// What `info` tells a person of a matrix.

/// Summary, row-length histogram and spy picture.
std::string structure_report(const Matrix& matrix, const Structure& structure, const base::Layout& page = {},
                             int threads = 0);

// The histogram of row lengths: its bins, and as bars of text.

struct RowLengthBin {
  std::int64_t first = 0, last = 0;  ///< lengths
  std::int64_t rows = 0;
};

/// One bin per length where few occur, else per power of two.
std::vector<RowLengthBin> row_length_bins(std::span<const RowLengthCount> lengths);

/// One line per length where few occur, else per power of two: lengths, bar, rows, share. `width`: columns of the
/// longest bar.
std::string row_histogram_text(const Structure& structure, int width = 40);

// A grey picture with lines and text, and its bytes as PNG (through libspng).

class GreyImage {
 public:
  /// White.
  GreyImage(int width, int height);
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

  /// 0 black … 255 white; outside of the picture nothing happens.
  void set(int x, int y, int tone);
  void fill(int x, int y, int width, int height, int tone);
  /// ASCII in letters of 5 × 7 cells of `zoom` pixels, black, its upper left corner at x, y.
  void write(int x, int y, std::string_view text, int zoom);
  /// Pixels that a text is wide.
  static int text_width(std::string_view text, int zoom);

  /// Whether this build writes PNG.
  static bool has_png();
  /// 8-bit greyscale PNG. Error unavailable where has_png() is false.
  [[nodiscard]] std::string png() const;

 private:
  int width_, height_;
  std::vector<std::uint8_t> tones_;  ///< height × width, line by line
};
}  // namespace sparsecast::matrix
