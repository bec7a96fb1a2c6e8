#include "cluster/features/gathering.hpp"

#include <algorithm>
#include <vector>

namespace sparsecast::cluster {
namespace {
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
}  // namespace

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
}  // namespace sparsecast::cluster
