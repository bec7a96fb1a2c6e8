#include "matrix/view/spy.hpp"

#include <algorithm>
#include <cmath>

#include "base/files.hpp"
#include "base/markup.hpp"
#include "base/page/ascii.hpp"
#include "base/page/text_table.hpp"
#include "base/team.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"

namespace sparsecast::matrix {
namespace {
struct Grid {
  int width, height;
};

Grid grid_for(std::int64_t rows, std::int64_t cols, int longest) {
  const std::int64_t larger = std::max<std::int64_t>({rows, cols, 1});
  if (larger <= longest) {
    const std::int64_t zoom = std::max<std::int64_t>(1, longest / 2 / larger);
    return {static_cast<int>(std::max<std::int64_t>(1, cols * zoom)),
            static_cast<int>(std::max<std::int64_t>(1, rows * zoom))};
  }
  const double scale = static_cast<double>(longest) / static_cast<double>(larger);
  const auto cells = [&](std::int64_t length) {
    return std::clamp(static_cast<int>(std::lround(static_cast<double>(length) * scale)), 1, longest);
  };
  return {cells(cols), cells(rows)};
}

// Non-zeros of the rows of one raster line, cell by cell. Where entries are larger than cells, each fills its square.
template <class C>
void count_line(const C& csr, int y, SpyRaster& raster) {
  std::int64_t* line = raster.counts.data() + static_cast<std::ptrdiff_t>(y) * raster.width;
  const std::int64_t first = y * csr.rows / raster.height;
  const std::int64_t last = std::max(first + 1, (y + 1) * csr.rows / raster.height);
  for (std::int64_t r = first; r < std::min(last, csr.rows); ++r)
    for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k) {
      const std::int64_t column = csr.column_indices[k];
      const std::int64_t from = column * raster.width / csr.cols;
      const std::int64_t to = std::max(from + 1, (column + 1) * raster.width / csr.cols);
      for (std::int64_t x = from; x < to; ++x) ++line[x];
    }
}

// Thresholds of a 4 × 4 ordered dither (Bayer 1973), in sixteenths.
constexpr int bayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

bool is_dot(const SpyRaster& raster, int x, int y) {
  if (x >= raster.width || y >= raster.height) return false;
  return raster.shade(x, y) > bayer[y % 4][x % 4] / 16.0 * 0.9;
}
}  // namespace

double SpyRaster::shade(int x, int y) const {
  return most == 0 ? 0.0 : std::log1p(static_cast<double>(at(x, y))) / std::log1p(static_cast<double>(most));
}

SpyRaster rasterize(const Matrix& matrix, int longest, int threads) {
  const Grid grid = grid_for(matrix.rows(), matrix.cols(), longest);
  SpyRaster raster;
  raster.width = grid.width;
  raster.height = grid.height;
  raster.counts.assign(static_cast<std::size_t>(grid.width) * static_cast<std::size_t>(grid.height), 0);
  if (matrix.nonzeros() == 0) return raster;
  matrix.visit_pattern([&](const auto& csr) {
#pragma omp parallel for schedule(dynamic, 8) num_threads(base::team_of(base::thread_count(threads)))
    for (int y = 0; y < raster.height; ++y) count_line(csr, y, raster);
  });
  raster.most = *std::ranges::max_element(raster.counts);
  return raster;
}

std::string spy_text(const SpyRaster& raster) {
  // Dots of a braille character by line and column, as bits of its code point above U+2800.
  constexpr int dots[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  const int columns = (raster.width + 1) / 2, lines = (raster.height + 3) / 4;
  std::string rule;
  for (int c = 0; c < columns; ++c) rule += "─";
  std::string text = "┌" + rule + "┐\n";
  for (int line = 0; line < lines; ++line) {
    text += "│";
    for (int c = 0; c < columns; ++c) {
      int pattern = 0;
      for (int dy = 0; dy < 4; ++dy)
        for (int dx = 0; dx < 2; ++dx)
          if (is_dot(raster, 2 * c + dx, 4 * line + dy)) pattern |= dots[dy][dx];
      text += static_cast<char>(0xE2);  // the three bytes of U+2800 + pattern in UTF-8
      text += static_cast<char>(0xA0 | (pattern >> 6));
      text += static_cast<char>(0x80 | (pattern & 0x3F));
    }
    text += "│\n";
  }
  return text + "└" + rule + "┘\n";
}
}  // namespace sparsecast::matrix
