#pragma once
// The picture of a matrix as an image: PNG and SVG, both as the bytes of the file.

#include <filesystem>

#include "matrix/view/spy.hpp"

namespace sparsecast::matrix {
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
}  // namespace sparsecast::matrix
