#pragma once
// The first-level cache of one multiprocessor, as far as hits and misses go. Private to the overlap model.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sparsecast::gpu_code {
/// Sets of 16 lines of 128 bytes with 4 sectors; the least recently used goes first.
class FirstLevelCache {
 public:
  explicit FirstLevelCache(std::int64_t bytes) {
    sets_ = std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes / 128 / ways, 1)));
    lines_.resize(sets_ * ways);
    // What does not make a power of two of sets becomes further ways, as far as it goes.
    used_ways_ = std::clamp<std::size_t>(static_cast<std::size_t>(bytes) / 128 / sets_, 1, ways);
  }

  struct Line {
    std::uint64_t tag = ~std::uint64_t{0};
    std::uint8_t sectors = 0, dirty = 0;  ///< dirty: written and not in the second level (local memory)
    std::uint64_t used = 0;
    double arrives = 0;  ///< of the sectors asked for last
  };
  /// The line, made room for where it is not there; `missing` gets the sectors that must be fetched.
  Line& touch(std::uint64_t line, std::uint8_t sectors, std::uint8_t& missing) {
    Line* set = &lines_[(line ^ (line >> 7) ^ (line >> 15)) % sets_ * ways];
    Line* oldest = set;
    ++clock_;
    for (std::size_t w = 0; w < used_ways_; ++w) {
      if (set[w].tag == line) {
        missing = static_cast<std::uint8_t>(sectors & ~set[w].sectors);
        set[w].sectors |= sectors;
        set[w].used = clock_;
        return set[w];
      }
      if (set[w].used < oldest->used) oldest = &set[w];
    }
    missing = sectors;
    written_back_ = std::popcount(oldest->dirty);
    *oldest = {line, sectors, 0, clock_, 0};
    return *oldest;
  }

  /// Sectors that the last line to go took with it to the second level; asked once.
  [[nodiscard]] int written_back() { return std::exchange(written_back_, 0); }

 private:
  static constexpr std::size_t ways = 16;
  std::vector<Line> lines_;
  std::uint64_t sets_ = 1, clock_ = 0;
  std::size_t used_ways_ = ways;
  int written_back_ = 0;
};
}  // namespace sparsecast::gpu_code
