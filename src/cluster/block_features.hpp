#pragma once
// What the models know of one block (a rank's local product) and of all blocks of a matrix in one way of running.

#include <array>
#include <cstdint>
#include <vector>

#include "cluster/rank_parts.hpp"

namespace sparsecast::cluster {

/// Sizes in bytes of what one busy core has of each level; the last is its share of the last-level cache.
struct CacheShare {
  std::array<std::int64_t, 3> bytes{32 << 10, 1 << 20, 2 << 20};
};

struct BlockFeatures {
  double rows = 0, columns = 0, nonzeros = 0;
  double length_changes = 0;             ///< rows of another length than the row above: each may cost a mispredicted branch
  std::array<double, 3> misses{};        ///< reads of x beyond each level of CacheShare
};
BlockFeatures block_features(const CsrBlock& block, const CacheShare& caches);

/// One rank of one way: its local products and its messages.
struct RankFeatures {
  BlockFeatures own, remote;
  double sent = 0;                       ///< entries of x, l1dr only
  int targets = 0;                       ///< ranks that they go to
  std::vector<Message> receives;         ///< l1dr only

  [[nodiscard]] double received() const;  ///< entries of x
};

/// Everything a cluster model may know of a matrix on P processes in one way.
struct WayFeatures {
  Way way = Way::local_rows;
  int processes = 1;
  std::int64_t rows = 0, nonzeros = 0;   ///< of the whole matrix
  double row_std = 0;                    ///< deviation of the non-zeros per row
  std::vector<RankFeatures> ranks;

  /// The attributes of the paper's regression (section III-B), in its order; four more for l1dr.
  [[nodiscard]] std::vector<double> svr_attributes() const;
};
WayFeatures way_features(const Matrix& matrix, Way way, const Placement& placement, const CacheShare& caches);

}  // namespace sparsecast::cluster
