#include "planning/powers/powers_cost.hpp"

#include <algorithm>

#include "planning/powers/wavefront.hpp"

namespace sparsecast::planning {
namespace {
// A block below so many entries is multiplied in about the time that a call and a look at its neighbours take.
constexpr std::int64_t least_entries = 4096;
constexpr std::int64_t row_window = 1024;   // of the formats that sort rows within windows (host_sell)
constexpr std::int64_t granules = 1 << 14;  // that reach is looked at in

// Rows between a row and the farthest that it has to do with, in the mean.
double mean_reach(const Matrix& matrix) {
  const std::int64_t step = std::max<std::int64_t>(16, matrix.rows() / granules);
  const RowBlocks cut = cut_rows(matrix, step);
  double sum = 0;
  for (std::int32_t b = 0; b < cut.blocks(); ++b) sum += cut.last[static_cast<std::size_t>(b)] - b;
  return cut.blocks() > 0 ? sum / cut.blocks() * static_cast<double>(step) : 0;
}
}  // namespace

std::vector<Blocking> ways_to_block(const Matrix& matrix, std::int64_t k, int threads) {
  std::vector<Blocking> ways;
  const std::int64_t rows = matrix.rows();
  if (rows == 0 || k < 1) return ways;
  const double entries = std::max(1.0, static_cast<double>(matrix.nonzeros()) / static_cast<double>(rows));
  const auto least = static_cast<std::int64_t>(static_cast<double>(least_entries) / entries) + 1;
  const std::int64_t wanted = static_cast<std::int64_t>(mean_reach(matrix) / 3);
  // Borders where every format that lies in one piece can be cut.
  const std::int64_t block_rows =
      std::max<std::int64_t>(1, (std::max(wanted, least) + row_window / 2) / row_window) * row_window;
  const RowBlocks cut = cut_rows(matrix, block_rows);
  std::int64_t before = 0;
  for (std::int64_t passes = 1; passes <= k; ++passes) {
    const std::int64_t depth = (k + passes - 1) / passes;
    if (depth < 2 || depth == before) continue;
    before = depth;
    ways.push_back({block_rows, depth, cut.blocks(), resident_rows(cut, depth, threads - 1)});
  }
  return ways;
}

Matrix stretch_of_rows(const Matrix& matrix, std::int64_t first, std::int64_t last) {
  return matrix.visit([&](const auto& csr) {
    Csr<std::int32_t, std::int32_t> part{last - first, 0, {}, {}, {}};
    std::int64_t low = first, high = last;
    for (auto k = csr.row_pointers[first]; k < csr.row_pointers[last]; ++k) {
      low = std::min(low, static_cast<std::int64_t>(csr.column_indices[k]));
      high = std::max(high, static_cast<std::int64_t>(csr.column_indices[k]) + 1);
    }
    part.cols = high - low;
    part.row_pointers.push_back(0);
    for (std::int64_t row = first; row < last; ++row) {
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        part.column_indices.push_back(
            static_cast<std::int32_t>(static_cast<std::int64_t>(csr.column_indices[k]) - low));
        part.values.push_back(static_cast<double>(csr.values[k]));
      }
      part.row_pointers.push_back(static_cast<std::int32_t>(part.column_indices.size()));
    }
    return Matrix(std::move(part), matrix.name());
  });
}

PowersCost cost_of_powers(const PowersTimes& times, std::int64_t k, std::int64_t depth) {
  const std::int64_t whole_passes = (k + depth - 1) / depth;
  const auto passes = static_cast<double>(whole_passes), powers = static_cast<double>(k);
  // A product's own time holds what reading x and writing y takes. A pass writes two vectors in turn, of which one is
  // written beyond that; all powers kept are each written once.
  const double both = passes * times.memory_s + (powers - passes) * times.cached_s + times.waits_s;
  const double into = both + passes * times.vector_s + times.move_s;
  return {into + times.move_s,
          times.move_s > 0 ? into + powers * times.move_s : both + (powers - passes) * times.vector_s};
}
}  // namespace sparsecast::planning
