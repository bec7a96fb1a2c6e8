#pragma once
// What the models know of one block, a rank's local product.

#include <array>
#include <cstdint>
#include <sparsecast/precision.hpp>

#include "cluster/scheme/local_block.hpp"

namespace sparsecast::cluster {
/// Sizes in bytes of what one busy core has of each level; the last is its share of the last-level cache.
struct CacheShare {
  std::array<std::int64_t, 3> bytes{32 << 10, 1 << 20, 2 << 20};
};

struct BlockFeatures {
  double rows = 0, columns = 0, nonzeros = 0;
  double listed_rows = 0;     ///< rows where only the listed ones are visited (CsrBlock::filled_rows), else 0
  double length_changes = 0;  ///< rows of another length than the row above: each may cost a mispredicted branch
  double length_bits = 0;     ///< information in the row lengths, given the length of the row above
  double chained_nonzeros =
      0;  ///< those of each row beyond its first 16 (chain_free): every addition waits for the one before
  std::array<double, 3> misses{};  ///< reads of x beyond each level of CacheShare
  double value_bytes = 8;          ///< of an entry's value and of an entry of x
};
/// Additions of one row that overlap those of the rows around it in a core that looks some hundred instructions ahead.
inline constexpr std::int32_t chain_free = 16;
/// `reuse` false leaves the misses at zero: they are what takes time.
BlockFeatures block_features(const CsrBlock& block, const CacheShare& caches, bool reuse = true,
                             Precision precision = Precision::double_);

/// Bytes of a block's entries, and with its share of both vectors.
double stored_bytes(const BlockFeatures& block, LocalFormat format);
double footprint_bytes(const BlockFeatures& block, LocalFormat format);
/// Share of a stream that comes from beyond a cache: none where there is half as much, all from twice as much on.
double share_beyond(double bytes, double capacity);
}  // namespace sparsecast::cluster
