#pragma once
// From the entries that the ranks read to the block that each rank multiplies, with every entry on the way once (2du)
// or twice (rows: to the keeper of its row, then to the row's owner).

#include <cstdint>
#include <vector>

#include "cluster/features/rank_parts.hpp"
#include "cluster/rank/entry_source.hpp"
#include "cluster/rank/row_directory.hpp"
#include "cluster/scheme/local_block.hpp"

namespace sparsecast::cluster {
/// 2du: this rank's block of the permuted matrix; the last blocks are padded.
struct GridPart {
  Grid grid;
  std::int64_t size = 0;  ///< rows of the whole matrix
  CsrBlock block;
};
GridPart assemble_grid(const Communicator& ranks, EntrySource& source, std::uint64_t seed);

/// g1dr and l1dr: the rows that live on this rank.
struct RowPart {
  std::vector<std::int64_t> rows;        ///< their numbers in the matrix, ascending
  std::vector<std::int64_t> all_counts;  ///< rows of every rank
  std::int64_t size = 0;                 ///< rows of the whole matrix
  std::vector<LocalEntry> entries;       ///< columns are indices into `columns`
  std::vector<std::int64_t> columns;     ///< distinct positions that the entries use, ascending
};
RowPart assemble_rows(const Communicator& ranks, EntrySource& source, const RowDirectory& directory);

/// l1dr: which entries of x travel.
struct HaloPlan {
  std::vector<Message> receives, sends;    ///< by rank
  std::vector<std::int32_t> send_indices;  ///< own entries of x, in the order of `sends`
};

/// g1dr: the block over all columns.
CsrBlock global_block(const RowPart& part);
/// l1dr: own columns and received columns apart, and the plan of the messages. Collective.
struct LocalSplit {
  CsrBlock own, remote;
  HaloPlan halo;
};
LocalSplit split_local(const Communicator& ranks, const RowPart& part, const RowDirectory& directory);

/// Collective: scales all blocks by the power of two of local_block.hpp and returns its exponent. longest_row: of the
/// whole matrix.
int scale_values(const Communicator& ranks, const std::vector<CsrBlock*>& blocks, std::int64_t longest_row);
}  // namespace sparsecast::cluster
