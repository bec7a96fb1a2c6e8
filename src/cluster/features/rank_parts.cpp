#include "cluster/features/rank_parts.hpp"

#include <algorithm>
#include <utility>

#include "base/interrupt.hpp"
#include "cluster/scheme/index_permutation.hpp"

namespace sparsecast::cluster {
namespace {
using Visit = std::function<void(const RankPart&)>;

template <class Csr>
void grid_parts(const Csr& csr, const Placement& placement, const Visit& visit) {
  const Grid grid = grid_of(placement.processes);
  const std::int64_t height = grid.block_rows(csr.rows), width = grid.block_columns(csr.rows);
  const IndexPermutation permute(csr.rows, placement.seed);
  std::vector<std::int64_t> position(static_cast<std::size_t>(csr.rows));
  for (std::int64_t r = 0; r < csr.rows; ++r) position[static_cast<std::size_t>(r)] = permute(r);
  for (int i = 0; i < grid.rows; ++i) {
    base::throw_if_interrupted();
    std::vector<std::vector<LocalEntry>> blocks(static_cast<std::size_t>(grid.columns));
    for (std::int64_t at = i * height; at < std::min(csr.rows, (i + 1) * height); ++at) {
      const std::int64_t r = permute.inverse(at);
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k) {
        const std::int64_t column = position[static_cast<std::size_t>(csr.column_indices[k])];
        blocks[static_cast<std::size_t>(column / width)].push_back(
            {static_cast<std::int32_t>(at - i * height), static_cast<std::int32_t>(column % width), csr.values[k]});
      }
    }
    for (int j = 0; j < grid.columns; ++j)
      visit({i * grid.columns + j,
             grid.piece_length(csr.rows),
             csr_block(height, width, blocks[static_cast<std::size_t>(j)]),
             {},
             {},
             {}});
  }
}

template <class Csr>
void row_parts(const Csr& csr, Scheme scheme, const RowOrder& order, const Visit& visit) {
  constexpr std::int32_t unseen = -1;
  std::vector<std::int32_t> index(scheme == Scheme::local_rows ? static_cast<std::size_t>(csr.cols) : 0,
                                  unseen);  // by position
  for (int q = 0; q < order.processes(); ++q) {
    base::throw_if_interrupted();
    RankPart part{
        q, order.first[static_cast<std::size_t>(q) + 1] - order.first[static_cast<std::size_t>(q)], {}, {}, {}, {}};
    const std::int64_t begin = order.first[static_cast<std::size_t>(q)], end = begin + part.rows;
    std::vector<LocalEntry> own, remote;
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t r = order.row[static_cast<std::size_t>(at)];
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k) {
        const std::int64_t column = order.position[static_cast<std::size_t>(csr.column_indices[k])];
        const auto row = static_cast<std::int32_t>(at - begin);
        if (scheme == Scheme::global_rows) {
          own.push_back({row, static_cast<std::int32_t>(column), csr.values[k]});
        } else if (column >= begin && column < end) {
          own.push_back({row, static_cast<std::int32_t>(column - begin), csr.values[k]});
        } else {
          if (std::exchange(index[static_cast<std::size_t>(column)], 0) == unseen) part.received.push_back(column);
          remote.push_back({row, static_cast<std::int32_t>(column), csr.values[k]});
        }
      }
    }
    std::ranges::sort(part.received);
    for (std::size_t k = 0; k < part.received.size(); ++k) {
      index[static_cast<std::size_t>(part.received[k])] = static_cast<std::int32_t>(k);
      const int owner = order.owner(part.received[k]);
      if (part.receives.empty() || part.receives.back().rank != owner) part.receives.push_back({owner, 0});
      ++part.receives.back().count;
    }
    for (LocalEntry& entry : remote) entry.column = index[static_cast<std::size_t>(entry.column)];
    for (const std::int64_t position : part.received) index[static_cast<std::size_t>(position)] = unseen;
    part.own = csr_block(part.rows, scheme == Scheme::global_rows ? csr.cols : part.rows, own);
    if (scheme == Scheme::local_rows) {
      part.remote = csr_block(part.rows, static_cast<std::int64_t>(part.received.size()), remote);
      list_filled_rows(part.remote);
    }
    visit(part);
  }
}
}  // namespace

Placement place(const Matrix& matrix, int processes, std::uint64_t seed, bool with_partition) {
  Placement placement{processes, seed, {}};
  if (with_partition) placement.order = order_rows(partition_rows(matrix, processes), processes);
  return placement;
}

void for_each_part(const Matrix& matrix, Scheme scheme, const Placement& placement, const Visit& visit) {
  matrix.visit([&](const auto& csr) {
    if (scheme == Scheme::two_d_uniform)
      grid_parts(csr, placement, visit);
    else
      row_parts(csr, scheme, placement.order, visit);
  });
}
}  // namespace sparsecast::cluster
