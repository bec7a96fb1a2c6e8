#include "cluster/features/reuse.hpp"

#include <cstddef>
#include <vector>

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
}  // namespace sparsecast::cluster
