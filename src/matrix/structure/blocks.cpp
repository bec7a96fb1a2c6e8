// Blocks. Those of r rows and c columns are at least as many as blocks of r × 1 over c, and as blocks of 1 × c over r.
// So the two say which shapes are worth looking at; the one that takes the fewest bytes in a sample of the rows is the
// matrix's, and its blocks are counted.

#include <algorithm>
#include <utility>

#include "base/parallel_for.hpp"
#include "matrix/structure/block_walk.hpp"
#include "matrix/structure/forms.hpp"

namespace sparsecast::matrix {
namespace {

constexpr double well_filled = 0.7;  // below, padding costs more than the indices that blocks save
// Pairs of rows (columns) hold one entry or two, so at least half of their places are filled. Where larger blocks are
// filled well, with holes at random, pairs are to 0.65: two of three lie within a block of three, more within larger.
constexpr double filled_pairs = 0.6;
constexpr std::int64_t start_rows = 840;  // a multiple of every height: blocks begin at multiples of it
constexpr std::int64_t most_groups = 32, group_rows = 48, enough_nonzeros = 8192;

// Rows first … last − 1, first a multiple of start_rows.
struct BlockSample {
  std::int64_t first = 0, last = 0;
};

template <class Csr>
std::vector<BlockSample> sample_of(const Csr& csr) {
  std::vector<BlockSample> sample;
  const std::int64_t starts = (csr.rows + start_rows - 1) / start_rows;
  const bool whole = csr.rows <= most_groups * group_rows;
  std::int64_t nonzeros = 0;
  for (std::int64_t g = 0; g < (whole ? 1 : most_groups) && nonzeros < enough_nonzeros; ++g) {
    // A multiplicative hash: places that no period of the rows is in step with.
    const auto mixed = (static_cast<std::uint64_t>(g + 1) * 0x9E3779B97F4A7C15U) >> 16;
    const std::int64_t first =
        whole ? 0 : static_cast<std::int64_t>(mixed % static_cast<std::uint64_t>(starts)) * start_rows;
    BlockSample stretch{first, std::min(csr.rows, first + group_rows)};
    // Of few rows all, unless they are long.
    while (whole && stretch.last < csr.rows && csr.row_pointers[stretch.last] < enough_nonzeros)
      stretch.last = std::min(csr.rows, stretch.last + group_rows);
    nonzeros += csr.row_pointers[stretch.last] - csr.row_pointers[stretch.first];
    sample.push_back(stretch);
  }
  return sample;
}

template <class Csr>
std::int64_t blocks_in(const Csr& csr, const BlockSample& rows, int height, int width) {
  std::int64_t blocks = 0;
  for (std::int64_t row = rows.first; row < rows.last; row += height)
    walk_blocks(
        csr, row, height, width, [&](std::int64_t) { ++blocks; }, [](auto...) {});
  return blocks;
}

template <class Csr>
std::int64_t blocks_in(const Csr& csr, const std::vector<BlockSample>& sample, int height, int width) {
  std::int64_t blocks = 0;
  for (const BlockSample& stretch : sample) blocks += blocks_in(csr, stretch, height, width);
  return blocks;
}

struct Shape {
  int height = 0, width = 0;
  double least_blocks = 0;
  // Values of double, one index a block, and the pointers' share.
  [[nodiscard]] double bytes(double blocks, double rows) const {
    return blocks * (8.0 * height * width + 4) + 8 * rows / height;
  }
};

template <class Csr>
DenseBlocks find_shape(const Csr& csr) {
  const std::vector<BlockSample> sample = sample_of(csr);
  double nonzeros = 0, rows = 0;
  for (const BlockSample& stretch : sample) {
    nonzeros += static_cast<double>(csr.row_pointers[stretch.last] - csr.row_pointers[stretch.first]);
    rows += static_cast<double>(stretch.last - stretch.first);
  }
  // Blocks of one row or of one column, where they are filled well; pairs that are not say that nothing larger is.
  const auto counted = [&](bool tall) {
    std::vector<std::pair<int, double>> filled;
    const std::int64_t room = tall ? csr.rows : csr.cols;
    for (int b = least_block; b <= most_block && b <= room; ++b) {
      const auto blocks = static_cast<double>(blocks_in(csr, sample, tall ? b : 1, tall ? 1 : b));
      if (nonzeros >= well_filled * blocks * b) filled.emplace_back(b, blocks);
      if (b == least_block && nonzeros < filled_pairs * blocks * b) break;
    }
    return filled;
  };
  if (nonzeros == 0) return {0, 0, 0};
  // One walk of pairs in a row spares the many of taller blocks where nothing would stand beside them.
  if (csr.cols >= least_block && nonzeros < filled_pairs * least_block * static_cast<double>(blocks_in(csr, sample, 1, least_block)))
    return {0, 0, 0};
  const auto heights = counted(true);
  if (heights.empty()) return {0, 0, 0};
  std::vector<Shape> shapes;
  for (const auto& [width, of_one_row] : counted(false))
    for (const auto& [height, of_one_column] : heights)
      shapes.push_back({height, width, std::max(of_one_column / width, of_one_row / height)});
  const auto at_least = [&](const Shape& shape) { return shape.bytes(shape.least_blocks, rows); };
  std::ranges::sort(shapes, {}, at_least);
  DenseBlocks best{0, 0, 0};
  constexpr double worthwhile = 0.92;  // of the bytes of CSR
  double fewest = worthwhile * (12 * nonzeros + 4 * rows);
  for (const Shape& shape : shapes) {
    if (at_least(shape) >= fewest) break;
    const auto blocks = static_cast<double>(blocks_in(csr, sample, shape.height, shape.width));
    if (nonzeros < well_filled * blocks * shape.height * shape.width || shape.bytes(blocks, rows) >= fewest) continue;
    fewest = shape.bytes(blocks, rows);
    best = {shape.height, shape.width, 0};
  }
  return best;
}

}  // namespace

DenseBlocks block_shape(const Matrix& matrix) {
  return matrix.visit_pattern([](const auto& csr) { return find_shape(csr); });
}

std::int64_t count_blocks(const Matrix& matrix, const DenseBlocks& shape, int threads) {
  return matrix.visit_pattern([&](const auto& csr) {
    const std::int64_t block_rows = (csr.rows + shape.rows - 1) / shape.rows;
    std::int64_t blocks = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : blocks) schedule(static) if (threads > 1)
    for (std::int64_t b = 0; b < block_rows; ++b)
      blocks += blocks_in(csr, {b * shape.rows, (b + 1) * shape.rows}, shape.rows, shape.cols);
    return blocks;
  });
}

}  // namespace sparsecast::matrix
