#pragma once
// Rings of addresses in memory for pointer chases: which bytes a chase visits, in which order. Not here: running one.

#include <cstdint>
#include <vector>

namespace sparsecast::devices {

/// Rows of so many 8-byte elements; each element leads to that of the same column in the next row of `order`, the last
/// row to the first. A chase of one thread follows one column, a group of `row_elements` threads whole rows.
struct PointerRing {
  std::int64_t row_elements = 16;
  std::vector<std::int64_t> order;  ///< rows as visited: every row once

  [[nodiscard]] std::int64_t elements() const { return static_cast<std::int64_t>(order.size()) * row_elements; }
  /// Content: for every element the distance in bytes from the first element to the one that follows it.
  [[nodiscard]] std::vector<std::int64_t> links() const;
};

/// Lines of 128 bytes in random order within pages of 2 MiB, one page after the other: no prefetcher follows, and the
/// translation of addresses, which misses once a page, does not count.
[[nodiscard]] PointerRing shuffled_ring(std::int64_t bytes);

/// Rows of `row_elements` of which every `stride`-th is visited: `stride` chases that begin in rows 0, 1, … read the
/// memory together from front to back, as a stream does.
[[nodiscard]] PointerRing streaming_ring(std::int64_t bytes, std::int64_t row_elements, std::int64_t stride);

}  // namespace sparsecast::devices
