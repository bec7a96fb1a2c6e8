#include "cluster/features/block_features.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "cluster/features/reuse.hpp"

namespace sparsecast::cluster {
namespace {
// How often a row of one length follows a row of another; lengths from the last one on count as one.
class LengthPairs {
 public:
  void add(std::int32_t above, std::int32_t length) { ++counts_[index(above) * lengths + index(length)]; }
  /// Σ log2 of 1 / (share of that length among the rows that follow such a row).
  [[nodiscard]] double bits() const {
    double sum = 0;
    for (std::size_t above = 0; above < lengths; ++above) {
      const std::span<const std::int64_t> row(counts_.data() + above * lengths, lengths);
      const auto total = static_cast<double>(std::accumulate(row.begin(), row.end(), std::int64_t{0}));
      for (const std::int64_t count : row)
        if (count > 0) sum += static_cast<double>(count) * std::log2(total / static_cast<double>(count));
    }
    return sum;
  }

 private:
  static constexpr std::size_t lengths = 64;
  static std::size_t index(std::int32_t length) { return std::min(static_cast<std::size_t>(length), lengths - 1); }
  std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(lengths * lengths, 0);
};
}  // namespace

BlockFeatures block_features(const CsrBlock& block, const CacheShare& caches, bool reuse, Precision precision) {
  // Rows that the product does not visit cost nothing.
  const auto visited = block.filled_rows.empty() ? block.rows : static_cast<std::int64_t>(block.filled_rows.size());
  BlockFeatures features{static_cast<double>(visited),
                         static_cast<double>(block.columns),
                         static_cast<double>(block.nonzeros()),
                         static_cast<double>(block.filled_rows.size()),
                         0,
                         0,
                         0,
                         {},
                         static_cast<double>(value_bytes(precision))};
  LengthPairs pairs;
  std::int32_t above = -1;
  for (std::size_t r = 0; r + 1 < block.row_pointers.size(); ++r) {
    const std::int32_t length = block.row_pointers[r + 1] - block.row_pointers[r];
    if (length == 0 && !block.filled_rows.empty()) continue;
    features.length_changes += length != above ? 1 : 0;
    if (above >= 0) pairs.add(above, length);
    features.chained_nonzeros += std::max(0, length - chain_free);
    above = length;
  }
  features.length_bits = pairs.bits();
  for (std::size_t level = 0; reuse && level < caches.bytes.size(); ++level)
    features.misses[level] =
        static_cast<double>(x_misses(block, caches.bytes[level] / line_bytes, value_bytes(precision)));
  return features;
}

double stored_bytes(const BlockFeatures& block, LocalFormat format) {
  return format == LocalFormat::csr ? (4 + block.value_bytes) * block.nonzeros + 4 * block.rows
                                    : (8 + block.value_bytes) * block.nonzeros;
}

double footprint_bytes(const BlockFeatures& block, LocalFormat format) {
  return stored_bytes(block, format) + block.value_bytes * (block.rows + std::min(block.columns, block.nonzeros));
}

double share_beyond(double bytes, double capacity) { return std::clamp((bytes / capacity - 0.5) / 1.5, 0.0, 1.0); }
}  // namespace sparsecast::cluster
