#pragma once
// The picture of a matrix as an image: PNG (through zlib) and SVG, both as the bytes of the file.

#include <filesystem>
#include <string>

#include "matrix/view/spy.hpp"

namespace sparsecast::matrix {

/// 8-bit greyscale PNG, one pixel per cell: white where empty, darker the more non-zeros.
std::string spy_png(const SpyRaster& raster);
/// SVG with one rectangle per horizontal run of equally dark cells, and the title above.
std::string spy_svg(const SpyRaster& raster, const std::string& title);

/// Draws the matrix into a file: PNG (up to 1024 pixels) or SVG (up to 256 cells) by its ending. Error usage for
/// another ending, failed where the file cannot be written.
void write_spy_picture(const Matrix& matrix, const std::filesystem::path& file, int threads = 0);

}  // namespace sparsecast::matrix
