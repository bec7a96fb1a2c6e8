#include "cluster/features/scheme_features.hpp"

#include <algorithm>
#include <cmath>

#include "cluster/features/gathering.hpp"

namespace sparsecast::cluster {
namespace {
double deviation_of_rows(const Matrix& matrix) {
  return matrix.visit_pattern([&](const auto& csr) {
    const double rows = static_cast<double>(std::max<std::int64_t>(1, csr.rows));
    const double mean = static_cast<double>(matrix.nonzeros()) / rows;
    double squares = 0;
    for (std::int64_t r = 0; r < csr.rows; ++r) {
      const double d = static_cast<double>(csr.row_pointers[r + 1] - csr.row_pointers[r]) - mean;
      squares += d * d;
    }
    return std::sqrt(squares / rows);
  });
}

// The misses of a block that is much like another, in proportion to the non-zeros.
void take_misses(BlockFeatures& block, const BlockFeatures& like) {
  for (std::size_t level = 0; level < block.misses.size(); ++level)
    block.misses[level] = like.nonzeros > 0 ? like.misses[level] * block.nonzeros / like.nonzeros : 0;
}

std::vector<double> attributes_of(const SchemeFeatures& f) {
  const double n = static_cast<double>(std::max<std::int64_t>(1, f.rows)), nnz = static_cast<double>(f.nonzeros),
               p = f.processes;
  std::vector<double> attributes{n / p, nnz / p, nnz / n, nnz / (n * n), f.row_std};
  if (f.scheme != Scheme::local_rows) return attributes;
  double own = 0, remote = 0, sources = 0, received = 0;
  for (const RankFeatures& rank : f.ranks) {
    own += rank.own.nonzeros;
    remote += rank.remote.nonzeros;
    sources += rank.sources;
    received += rank.received;
  }
  attributes.insert(attributes.end(), {own / p, remote / p, sources / p, received / p});
  return attributes;
}
}  // namespace

SchemeFeatures scheme_features(const Matrix& matrix, Scheme scheme, const Placement& placement,
                               const CacheShare& caches, int cores_per_node, Precision precision) {
  SchemeFeatures all{scheme, placement.processes, matrix.rows(), matrix.nonzeros(), deviation_of_rows(matrix), {}, {},
                     {}};
  all.precision = precision;
  const auto bytes = static_cast<double>(value_bytes(precision));
  all.ranks.resize(static_cast<std::size_t>(placement.processes));
  std::vector<double> node_bytes(static_cast<std::size_t>(placement.processes / cores_per_node) + 1, 0.0);
  std::vector<double> shares(all.ranks.size(), 0.0);
  const int every = std::max(1, placement.processes / 32);
  for_each_part(matrix, scheme, placement, [&](const RankPart& part) {
    RankFeatures& rank = all.ranks[static_cast<std::size_t>(part.rank)];
    const bool simulated = part.rank % every == 0;
    const int simulated_before = part.rank - part.rank % every;
    const RankFeatures& like = all.ranks[static_cast<std::size_t>(simulated_before)];
    rank.own = block_features(part.own, caches, simulated, precision);
    if (!simulated) take_misses(rank.own, like.own);
    if (scheme == Scheme::two_d_uniform) return;
    shares[static_cast<std::size_t>(part.rank)] = bytes * static_cast<double>(part.rows);
    if (scheme == Scheme::global_rows) return;
    rank.remote = block_features(part.remote, caches, simulated, precision);
    if (!simulated) take_misses(rank.remote, like.remote);
    rank.sources = static_cast<int>(part.receives.size());
    double near = 0, far = 0;
    for (const Message& message : part.receives) {
      rank.received += static_cast<double>(message.count);
      all.ranks[static_cast<std::size_t>(message.rank)].sent += static_cast<double>(message.count);
      (message.rank / cores_per_node == part.rank / cores_per_node ? near : far) +=
          bytes * static_cast<double>(message.count);
    }
    node_bytes[static_cast<std::size_t>(part.rank / cores_per_node)] += far;
    all.load.messages = std::max(all.load.messages, static_cast<double>(rank.sources));
    all.load.near_bytes = std::max(all.load.near_bytes, near);
    all.load.far_bytes = std::max(all.load.far_bytes, far);
  });
  if (scheme == Scheme::global_rows) all.load.gathered_bytes = longest_exchange(shares);
  all.load.node_bytes = *std::ranges::max_element(node_bytes);
  all.attributes = attributes_of(all);
  return all;
}

SchemeFeatures SchemeFeatures::thinned(std::size_t kept) const {
  SchemeFeatures few = *this;
  if (few.ranks.size() <= kept) return few;
  const auto weight = [](const RankFeatures& r) { return r.own.nonzeros + r.remote.nonzeros + r.own.rows; };
  std::ranges::stable_sort(few.ranks, std::ranges::greater(), weight);
  few.ranks.resize(kept);
  return few;
}
}  // namespace sparsecast::cluster
