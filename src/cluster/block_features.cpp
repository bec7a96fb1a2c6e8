#include "cluster/block_features.hpp"

#include <algorithm>
#include <cmath>

#include "cluster/cache_friendliness.hpp"

namespace sparsecast::cluster {

BlockFeatures block_features(const CsrBlock& block, const CacheShare& caches) {
  BlockFeatures features{static_cast<double>(block.rows), static_cast<double>(block.columns), static_cast<double>(block.nonzeros()), 0, {}};
  std::int32_t above = -1;
  for (std::size_t r = 0; r + 1 < block.row_pointers.size(); ++r) {
    const std::int32_t length = block.row_pointers[r + 1] - block.row_pointers[r];
    features.length_changes += length != above ? 1 : 0;
    above = length;
  }
  for (std::size_t level = 0; level < caches.bytes.size(); ++level)
    features.misses[level] = static_cast<double>(x_misses(block, caches.bytes[level] / 64));
  return features;
}

WayFeatures way_features(const Matrix& matrix, Way way, const Placement& placement, const CacheShare& caches) {
  WayFeatures all{way, placement.processes, matrix.rows(), matrix.nonzeros(), 0, {}};
  matrix.visit([&](const auto& csr) {
    const double mean = static_cast<double>(matrix.nonzeros()) / static_cast<double>(std::max<std::int64_t>(1, csr.rows));
    double squares = 0;
    for (std::int64_t r = 0; r < csr.rows; ++r) {
      const double d = static_cast<double>(csr.row_pointers[r + 1] - csr.row_pointers[r]) - mean;
      squares += d * d;
    }
    all.row_std = std::sqrt(squares / static_cast<double>(std::max<std::int64_t>(1, csr.rows)));
  });
  all.ranks.resize(static_cast<std::size_t>(placement.processes));
  for_each_part(matrix, way, placement, [&](const RankPart& part) {
    RankFeatures& rank = all.ranks[static_cast<std::size_t>(part.rank)];
    rank.own = block_features(part.own, caches);
    if (way != Way::local_rows) return;
    rank.remote = block_features(part.remote, caches);
    rank.receives = part.receives;
    for (const Message& message : part.receives) {
      RankFeatures& from = all.ranks[static_cast<std::size_t>(message.rank)];
      from.sent += static_cast<double>(message.count);
      ++from.targets;
    }
  });
  return all;
}

double RankFeatures::received() const {
  double entries = 0;
  for (const Message& message : receives) entries += static_cast<double>(message.count);
  return entries;
}

std::vector<double> WayFeatures::svr_attributes() const {
  const double n = static_cast<double>(std::max<std::int64_t>(1, rows)), nnz = static_cast<double>(nonzeros), p = processes;
  std::vector<double> attributes{n / p, nnz / p, nnz / n, nnz / (n * n), row_std};
  if (way != Way::local_rows) return attributes;
  double own = 0, remote = 0, sources = 0, received = 0;
  for (const RankFeatures& rank : ranks) {
    own += rank.own.nonzeros;
    remote += rank.remote.nonzeros;
    sources += static_cast<double>(rank.receives.size());
    received += rank.received();
  }
  attributes.insert(attributes.end(), {own / p, remote / p, sources / p, received / p});
  return attributes;
}

}  // namespace sparsecast::cluster
