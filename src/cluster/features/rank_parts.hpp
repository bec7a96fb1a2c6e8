#pragma once
// What every rank would hold and send, worked out on one process from the whole matrix: the base of the forecasts and
// of the simulations. The rank program comes to the same blocks from the file (rank/assembly.hpp).

#include <cstdint>
#include <functional>
#include <vector>

#include "cluster/scheme/local_block.hpp"
#include "cluster/scheme/partition.hpp"

namespace sparsecast::cluster {
struct Message {
  int rank = 0;
  std::int64_t count = 0;  ///< entries of x
};

struct RankPart {
  int rank = 0;
  std::int64_t rows = 0;               ///< 2du: of a piece (Grid), padding included
  CsrBlock own, remote;                ///< remote: l1dr only, its columns are the received entries
  std::vector<Message> receives;       ///< l1dr only
  std::vector<std::int64_t> received;  ///< l1dr only: positions (RowOrder) of the received entries
};

/// 2du: seed of the permutation. g1dr, l1dr: the order of the rows (2du ignores it).
struct Placement {
  int processes = 1;
  std::uint64_t seed = 1;
  RowOrder order;
};
/// Partitions where one of the schemes needs it.
Placement place(const Matrix& matrix, int processes, std::uint64_t seed, bool with_partition);

/// Calls visit for every rank in turn; only one part (2du: one row of blocks) is in memory at a time.
void for_each_part(const Matrix& matrix, Scheme scheme, const Placement& placement,
                   const std::function<void(const RankPart&)>& visit);
}  // namespace sparsecast::cluster
