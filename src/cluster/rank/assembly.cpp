#include "cluster/rank/assembly.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "cluster/scheme/index_permutation.hpp"
#include "cluster/scheme/iterates.hpp"

namespace sparsecast::cluster {
GridPart assemble_grid(const Communicator& ranks, EntrySource& source, std::uint64_t seed) {
  GridPart part;
  part.grid = grid_of(ranks.size());
  part.size = source.size();
  const std::int64_t height = part.grid.block_rows(part.size), width = part.grid.block_columns(part.size);
  const IndexPermutation permute(part.size, seed);
  const std::int64_t first_row = ranks.rank() / part.grid.columns * height,
                     first_column = ranks.rank() % part.grid.columns * width;
  std::vector<LocalEntry> entries;
  stream_entries(ranks, source, [&](std::vector<FileEntry> chunk) {
    for (FileEntry& entry : chunk) entry = {permute(entry.row), permute(entry.column), entry.value};
    const auto here = ranks.route<FileEntry>(chunk, [&](const FileEntry& entry) {
      return static_cast<int>(entry.row / height) * part.grid.columns + static_cast<int>(entry.column / width);
    });
    ranks.agreed([&] {
      for (const FileEntry& entry : here)
        entries.push_back({static_cast<std::int32_t>(entry.row - first_row),
                           static_cast<std::int32_t>(entry.column - first_column), entry.value});
    });
  });
  ranks.agreed([&] { part.block = csr_block(height, width, entries); });
  return part;
}

RowPart assemble_rows(const Communicator& ranks, EntrySource& source, const RowDirectory& directory) {
  RowPart part;
  part.size = source.size();
  part.rows = directory.own_rows(ranks);
  part.all_counts = ranks.gather_to_all(static_cast<std::int64_t>(part.rows.size()));
  std::vector<std::int64_t> columns;  // row of x that each entry reads, in step with part.entries
  stream_entries(ranks, source, [&](std::vector<FileEntry> chunk) {
    auto kept = ranks.route<FileEntry>(chunk, [&](const FileEntry& entry) { return directory.keeper(entry.row); });
    for (FileEntry& entry : kept) entry.row = directory.kept_position(entry.row);
    const auto here = ranks.route<FileEntry>(kept, [&](const FileEntry& entry) { return directory.owner(entry.row); });
    ranks.agreed([&] {
      for (const FileEntry& entry : here) {
        part.entries.push_back({static_cast<std::int32_t>(entry.row - directory.first(ranks.rank())), 0, entry.value});
        columns.push_back(entry.column);
      }
    });
  });
  // Distinct columns, then their positions; both orders are ascending, so entries find theirs by two binary searches.
  std::vector<std::int64_t> distinct = columns;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const std::vector<std::int64_t> positions = directory.look_up(ranks, distinct);
  part.columns = positions;
  std::ranges::sort(part.columns);
  std::vector<std::int32_t> index_of(distinct.size());
  for (std::size_t k = 0; k < distinct.size(); ++k)
    index_of[k] =
        static_cast<std::int32_t>(std::ranges::lower_bound(part.columns, positions[k]) - part.columns.begin());
  for (std::size_t k = 0; k < columns.size(); ++k)
    part.entries[k].column =
        index_of[static_cast<std::size_t>(std::ranges::lower_bound(distinct, columns[k]) - distinct.begin())];
  return part;
}

CsrBlock global_block(const RowPart& part) {
  if (part.size >= INT32_MAX)
    throw Error(ErrorCode::failed, fmt::format("g1dr keeps all {} entries of x on every process", part.size), {},
                "use l1dr");
  std::vector<LocalEntry> entries = part.entries;
  for (LocalEntry& entry : entries)
    entry.column = static_cast<std::int32_t>(part.columns[static_cast<std::size_t>(entry.column)]);
  return csr_block(static_cast<std::int64_t>(part.rows.size()), part.size, entries);
}

LocalSplit split_local(const Communicator& ranks, const RowPart& part, const RowDirectory& directory) {
  const std::int64_t begin = directory.first(ranks.rank()), end = directory.first(ranks.rank() + 1);
  // Received columns keep their order by position, which is also the order by owner.
  std::vector<std::int64_t> received;
  std::vector<std::int32_t> index(part.columns.size());
  for (std::size_t k = 0; k < part.columns.size(); ++k) {
    const std::int64_t position = part.columns[k];
    const bool own = position >= begin && position < end;
    index[k] = static_cast<std::int32_t>(own ? position - begin : static_cast<std::int64_t>(received.size()));
    if (!own) received.push_back(position);
  }
  std::vector<LocalEntry> own, remote;
  for (const LocalEntry& entry : part.entries) {
    const auto k = static_cast<std::size_t>(entry.column);
    const bool local = part.columns[k] >= begin && part.columns[k] < end;
    (local ? own : remote).push_back({entry.row, index[k], entry.value});
  }
  LocalSplit split;
  ranks.agreed([&] {
    const auto rows = static_cast<std::int64_t>(part.rows.size());
    split.own = csr_block(rows, rows, own);
    split.remote = csr_block(rows, static_cast<std::int64_t>(received.size()), remote);
    list_filled_rows(split.remote);
  });
  for (const std::int64_t position : received) {
    const int owner = directory.owner(position);
    if (split.halo.receives.empty() || split.halo.receives.back().rank != owner)
      split.halo.receives.push_back({owner, 0});
    ++split.halo.receives.back().count;
  }
  std::vector<std::int64_t> asked_by;
  const auto asked = ranks.route<std::int64_t>(
      received, [&](std::int64_t position) { return directory.owner(position); }, &asked_by);
  for (int q = 0; q < ranks.size(); ++q)
    if (const std::int64_t count = asked_by[static_cast<std::size_t>(q)]; count > 0)
      split.halo.sends.push_back({q, count});
  for (const std::int64_t position : asked)
    split.halo.send_indices.push_back(static_cast<std::int32_t>(position - begin));
  return split;
}

int scale_values(const Communicator& ranks, const std::vector<CsrBlock*>& blocks, std::int64_t longest_row) {
  double most = 0;
  for (const CsrBlock* block : blocks)
    for (const double value : block->values) most = std::max(most, std::abs(value));
  const int exponent = matrix_exponent(ranks.max(most), longest_row);
  for (CsrBlock* block : blocks)
    for (double& value : block->values) value = std::ldexp(value, -exponent);
  return exponent;
}
}  // namespace sparsecast::cluster
