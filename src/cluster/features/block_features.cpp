#include "cluster/features/block_features.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sparsecast::cluster {
namespace {
// LRU over line numbers 0 … lines − 1: a doubly linked list threaded through two arrays, a constant number of steps per
// access.
class LruLines {
 public:
  LruLines(std::int64_t lines, std::int64_t capacity)
      : before_(static_cast<std::size_t>(lines) + 1),
        after_(static_cast<std::size_t>(lines) + 1),
        held_(static_cast<std::size_t>(lines), 0),
        head_(static_cast<std::int32_t>(lines)),
        room_(capacity) {
    before_.back() = after_.back() = head_;  // the extra node closes the ring
  }

  bool hit(std::int32_t line) {
    const bool there = held_[static_cast<std::size_t>(line)] != 0;
    if (there) {
      unlink(line);
    } else if (room_ > 0) {
      --room_;
    } else {
      const std::int32_t oldest = before_[static_cast<std::size_t>(head_)];
      unlink(oldest);
      held_[static_cast<std::size_t>(oldest)] = 0;
    }
    held_[static_cast<std::size_t>(line)] = 1;
    const std::int32_t newest = after_[static_cast<std::size_t>(head_)];
    after_[static_cast<std::size_t>(line)] = newest;
    before_[static_cast<std::size_t>(line)] = head_;
    before_[static_cast<std::size_t>(newest)] = line;
    after_[static_cast<std::size_t>(head_)] = line;
    return there;
  }

 private:
  std::vector<std::int32_t> before_, after_;
  std::vector<char> held_;
  std::int32_t head_;
  std::int64_t room_;

  void unlink(std::int32_t line) {
    const std::int32_t b = before_[static_cast<std::size_t>(line)], a = after_[static_cast<std::size_t>(line)];
    after_[static_cast<std::size_t>(b)] = a;
    before_[static_cast<std::size_t>(a)] = b;
  }
};

double longest_ring(std::span<const double> shares) {
  const std::size_t size = shares.size();
  std::vector<double> waited(size, 0.0), next(size);
  for (std::size_t step = 0; step + 1 < size; ++step) {
    for (std::size_t rank = 0; rank < size; ++rank) {
      const std::size_t left = (rank + size - 1) % size;
      next[rank] = std::max(waited[rank], waited[left]) + shares[(left + size - step) % size];
    }
    waited.swap(next);
  }
  return *std::ranges::max_element(waited);
}

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

std::int64_t x_misses(const CsrBlock& block, std::int64_t cache_lines, std::int64_t entry_bytes) {
  const std::int64_t of_line = line_bytes / entry_bytes, lines = (block.columns + of_line - 1) / of_line;
  if (lines <= cache_lines) return 0;
  LruLines cache(lines, std::max<std::int64_t>(1, cache_lines));
  std::int64_t misses = 0;
  for (int traversal = 0; traversal < 2; ++traversal) {
    misses = 0;
    std::int32_t last = -1;
    for (const std::int32_t column : block.column_indices) {
      const auto line = static_cast<std::int32_t>(column / of_line);
      if (line == last) continue;  // the line read just before is the newest already
      last = line;
      misses += cache.hit(line) ? 0 : 1;
    }
  }
  return misses;
}

double longest_exchange(std::span<const double> shares) {
  const std::size_t size = shares.size();
  if (size < 2) return 0;
  if (size % 2 != 0) return longest_ring(shares);
  // In the first step two neighbours swap their own shares; from then on pairs of shares are handed on.
  std::vector<double> waited(size), pair(size), next_waited(size), next_pair(size);
  for (std::size_t rank = 0; rank < size; rank += 2) {
    waited[rank] = waited[rank + 1] = std::max(shares[rank], shares[rank + 1]);
    pair[rank] = pair[rank + 1] = shares[rank] + shares[rank + 1];
  }
  for (std::size_t step = 1; step < size / 2; ++step) {
    for (std::size_t rank = 0; rank < size; ++rank) {
      const bool to_the_right = (rank % 2 == 0) == (step % 2 == 0);
      const std::size_t neighbour = (rank + (to_the_right ? 1 : size - 1)) % size;
      next_waited[rank] = std::max(waited[rank], waited[neighbour]) + std::max(pair[rank], pair[neighbour]);
      next_pair[rank] = pair[neighbour];
    }
    waited.swap(next_waited);
    pair.swap(next_pair);
  }
  return *std::ranges::max_element(waited);
}

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
