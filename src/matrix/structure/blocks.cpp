// Blocks. Those of r rows and c columns are at least as many as blocks of r × 1 over c, and as blocks of 1 × c over r.
// So the two say which shapes are worth looking at; the one that takes the fewest bytes in a sample of the rows is the
// matrix's, and its blocks are counted.

#include <cmath>

#include "base/team.hpp"
#include "matrix/structure/block_walk.hpp"
#include "matrix/structure/blocks.hpp"
#include "matrix/structure/structure_parts.hpp"

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
  const auto count = [&](auto fixed, std::int64_t row) {
    walk_blocks<decltype(fixed)::value>(
        csr, row, height, width, [&](std::int64_t) { ++blocks; }, [](auto...) {});
  };
  for (std::int64_t row = rows.first; row < rows.last; row += height) {
    // The commonest heights as constants: what is kept of each row then stays in registers.
    if (height == 2 && row + 2 <= csr.rows)
      count(std::integral_constant<int, 2>(), row);
    else if (height == 3 && row + 3 <= csr.rows)
      count(std::integral_constant<int, 3>(), row);
    else if (height == 6 && row + 6 <= csr.rows)
      count(std::integral_constant<int, 6>(), row);
    else
      count(std::integral_constant<int, 0>(), row);
  }
  return blocks;
}

template <class Csr>
std::int64_t blocks_in(const Csr& csr, const std::vector<BlockSample>& sample, int height, int width) {
  std::int64_t blocks = 0;
  for (const BlockSample& stretch : sample) blocks += blocks_in(csr, stretch, height, width);
  return blocks;
}

// How many blocks of one row and b columns, or of b rows and one column, at [b].
using ThinBlocks = std::array<std::int64_t, most_block + 1>;

// All widths in one walk.
template <class Csr>
ThinBlocks wide_blocks(const Csr& csr, const std::vector<BlockSample>& sample) {
  using Index = typename Csr::Index;
  std::array<Index, most_block> begun, blocks, widths;  // where the current block of each width began
  for (int b = 0; b < most_block; ++b) widths[static_cast<std::size_t>(b)] = b + 1;
  ThinBlocks found{};
  for (const BlockSample& stretch : sample) {
    blocks.fill(0);
    for (std::int64_t row = stretch.first; row < stretch.last; ++row) {
      begun.fill(-most_block);
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        const Index column = csr.column_indices[k];
        for (std::size_t b = 0; b < most_block; ++b) {
          const bool fresh = column - begun[b] >= widths[b];
          blocks[b] += fresh ? 1 : 0;
          begun[b] = fresh ? column : begun[b];
        }
      }
    }
    for (std::size_t b = 0; b < most_block; ++b) found[b + 1] += blocks[b];
  }
  return found;
}

// The last row of a stretch that had an entry in a column.
template <class Index>
class LastRows {
 public:
  // Of so many entries at most.
  explicit LastRows(std::int64_t entries)
      : places_(std::bit_ceil(static_cast<std::size_t>(2 * entries + 1)), {-1, -1}),
        shift_(64 - std::countr_zero(places_.size())) {}

  // −1 where it had none; then it has one in `row`.
  Index replace(Index column, Index row) {
    std::size_t at = (static_cast<std::uint64_t>(column) * 0x9E3779B97F4A7C15U) >> shift_;
    while (places_[at].row >= 0 && places_[at].column != column) at = (at + 1) & (places_.size() - 1);
    const Index last = places_[at].row;
    places_[at] = {column, row};
    return last;
  }

 private:
  struct Place {
    Index column, row;
  };
  std::vector<Place> places_;
  int shift_;
};

// All heights in one walk: an entry begins a block of one column where no row of its group before has that column.
template <class Csr>
ThinBlocks tall_blocks(const Csr& csr, const std::vector<BlockSample>& sample) {
  using Index = typename Csr::Index;
  ThinBlocks found{};
  for (const BlockSample& stretch : sample) {
    LastRows<Index> last_rows(csr.row_pointers[stretch.last] - csr.row_pointers[stretch.first]);
    std::array<Index, most_block> begun, blocks{};
    for (std::int64_t row = stretch.first; row < stretch.last; ++row) {
      const auto place = static_cast<Index>(row - stretch.first);
      for (int b = 0; b < most_block; ++b) begun[static_cast<std::size_t>(b)] = place - place % (b + 1);
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        const Index last = last_rows.replace(csr.column_indices[k], place);
        for (std::size_t b = 0; b < most_block; ++b) blocks[b] += last < begun[b] ? 1 : 0;
      }
    }
    for (std::size_t b = 0; b < most_block; ++b) found[b + 1] += blocks[b];
  }
  return found;
}

struct Shape {
  int height = 0, width = 0;
  double least_blocks = 0;
  // Values of double, one index a block, and the pointers' share.
  [[nodiscard]] double bytes(double blocks, double rows) const {
    return blocks * (8.0 * height * width + 4) + 8 * rows / height;
  }
};

// The sampled rows left of some column, for rows so long that a few would be many entries.
template <class Offset, class Index>
struct LeftPart {
  LeftPart(const CsrPattern<Offset, Index>& csr, const std::vector<BlockSample>& sample) {
    for (const BlockSample& stretch : sample) {
      const auto length = [&](std::int64_t row) -> std::int64_t {
        return csr.row_pointers[row + 1] - csr.row_pointers[row];
      };
      std::int64_t longest = stretch.first;
      for (std::int64_t row = stretch.first; row < stretch.last; ++row)
        if (length(row) > length(longest)) longest = row;
      const std::int64_t kept = std::min(enough_nonzeros / (stretch.last - stretch.first), length(longest) - 1);
      const Index limit = kept < 0 ? 0 : csr.column_indices[csr.row_pointers[longest] + kept];
      const std::int64_t first = std::ssize(row_pointers) - 1;
      for (std::int64_t row = stretch.first; row < stretch.last; ++row) {
        const Index* begin = csr.column_indices.data() + csr.row_pointers[row];
        columns.insert(columns.end(), begin, std::lower_bound(begin, begin + length(row), limit));
        row_pointers.push_back(static_cast<Offset>(columns.size()));
      }
      stretches.push_back({first, std::ssize(row_pointers) - 1});
      // A last block may be taller than what is left of its stretch.
      row_pointers.insert(row_pointers.end(), most_block, row_pointers.back());
    }
  }

  std::vector<Offset> row_pointers{0};
  std::vector<Index> columns;
  std::vector<BlockSample> stretches;
};

template <class Csr>
std::int64_t nonzeros_of(const Csr& csr, const std::vector<BlockSample>& sample) {
  std::int64_t nonzeros = 0;
  for (const BlockSample& stretch : sample)
    nonzeros += csr.row_pointers[stretch.last] - csr.row_pointers[stretch.first];
  return nonzeros;
}

template <class Csr>
DenseBlocks best_shape(const Csr& csr, const std::vector<BlockSample>& sample) {
  const auto nonzeros = static_cast<double>(nonzeros_of(csr, sample));
  double rows = 0;
  for (const BlockSample& stretch : sample) rows += static_cast<double>(stretch.last - stretch.first);
  if (nonzeros == 0) return {0, 0, 0};
  // Blocks of one row or of one column, where they are filled well; pairs that are not say that nothing larger is.
  const auto filled = [&](const ThinBlocks& counted, std::int64_t room) {
    std::vector<std::pair<int, double>> well;
    for (int b = least_block; b <= most_block && b <= room; ++b) {
      const auto blocks = static_cast<double>(counted[static_cast<std::size_t>(b)]);
      if (nonzeros >= well_filled * blocks * b) well.emplace_back(b, blocks);
      if (b == least_block && nonzeros < filled_pairs * blocks * b) break;
    }
    return well;
  };
  const auto widths = filled(wide_blocks(csr, sample), csr.cols);
  if (widths.empty()) return {0, 0, 0};
  const auto heights = filled(tall_blocks(csr, sample), csr.rows);
  std::vector<Shape> shapes;
  for (const auto& [width, of_one_row] : widths)
    for (const auto& [height, of_one_column] : heights)
      shapes.push_back({height, width, std::max(of_one_column / width, of_one_row / height)});
  const auto at_least = [&](const Shape& shape) { return shape.bytes(shape.least_blocks, rows); };
  std::ranges::sort(shapes, {}, at_least);
  DenseBlocks best{0, 0, 0, 0};
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

template <class Offset, class Index>
DenseBlocks find_shape(const CsrPattern<Offset, Index>& csr) {
  const std::vector<BlockSample> sample = sample_of(csr);
  if (nonzeros_of(csr, sample) <= 4 * enough_nonzeros) return best_shape(csr, sample);
  const LeftPart<Offset, Index> left(csr, sample);
  const CsrPattern<Offset, Index> part{std::ssize(left.row_pointers) - 1, csr.cols, left.row_pointers, left.columns};
  return best_shape(part, left.stretches);
}
}  // namespace

DenseBlocks block_shape(const Matrix& matrix) {
  return matrix.visit_pattern([](const auto& csr) { return find_shape(csr); });
}

std::int64_t count_blocks(const Matrix& matrix, const DenseBlocks& shape, int threads, bool sampled) {
  constexpr std::int64_t sampled_from = 1 << 16, sampled_rows = 120;  // entries; of start_rows
  return matrix.visit_pattern([&](const auto& csr) -> std::int64_t {
    if (sampled && matrix.nonzeros() >= sampled_from && csr.rows >= 8 * start_rows) {
      std::vector<BlockSample> sample;
      for (std::int64_t row = 0; row + sampled_rows <= csr.rows; row += start_rows)
        sample.push_back({row, row + sampled_rows});
      const auto nonzeros = static_cast<double>(std::max<std::int64_t>(1, nonzeros_of(csr, sample)));
      const auto found = static_cast<double>(blocks_in(csr, sample, shape.rows, shape.cols));
      return std::llround(found / nonzeros * static_cast<double>(matrix.nonzeros()));
    }
    const std::int64_t block_rows = (csr.rows + shape.rows - 1) / shape.rows;
    std::int64_t blocks = 0;
#pragma omp parallel for num_threads(base::team_of(threads)) reduction(+ : blocks) schedule(static) if (threads > 1)
    for (std::int64_t b = 0; b < block_rows; ++b)
      blocks += blocks_in(csr, {b * shape.rows, (b + 1) * shape.rows}, shape.rows, shape.cols);
    return blocks;
  });
}

void analyze_blocks(const Matrix& matrix, Structure& structure, int threads, bool presume) {
  structure.dense_blocks = block_shape(matrix);
  if (structure.dense_blocks.rows > 0)
    structure.dense_blocks.blocks = count_blocks(matrix, structure.dense_blocks, threads, presume);
  structure.dense_blocks.fill = fill_of(structure.dense_blocks, structure.nonzeros);
}

double fill_of(const DenseBlocks& blocks, std::int64_t nonzeros) {
  const std::int64_t slots = blocks.blocks * blocks.rows * blocks.cols;
  return slots > 0 ? static_cast<double>(nonzeros) / static_cast<double>(slots) : 0;
}
}  // namespace sparsecast::matrix
