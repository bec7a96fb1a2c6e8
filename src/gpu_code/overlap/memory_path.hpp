#pragma once
// The way of a multiprocessor's memory instructions: load/store unit, first-level cache, then the second level and
// memory as servers of which this multiprocessor has its share. Private to the overlap model.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <list>
#include <utility>
#include <vector>

#include "gpu_code/overlap/overlap_model.hpp"
#include "gpu_code/overlap/timed_code.hpp"
#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/trace/warp_run.hpp"

namespace sparsecast::gpu_code {
// The first-level cache of one multiprocessor, as far as hits and misses go. Private to the overlap model.

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

// How instructions reach a multiprocessor: two caches for code, the least recently used line goes first, and behind
// each a path of limited bandwidth. Straight code that is longer than the caches is fetched again by every block.
// Private to the overlap model.

class InstructionFetch {
 public:
  static constexpr std::size_t instruction_bytes = 16, line_bytes = 128,
                               line_instructions = line_bytes / instruction_bytes;

  InstructionFetch(std::size_t instructions, const KernelTimes::CodeCaches& caches)
      : near_((instructions + line_instructions - 1) / line_instructions, caches.near_bytes / line_bytes),
        far_(near_.lines(), caches.far_bytes / line_bytes),
        near_cycles_(caches.near_line_cycles),
        far_cycles_(caches.far_line_cycles),
        arrives_(near_.lines(), 0) {}

  /// Whether the code is longer than the near cache: else nothing waits for it.
  [[nodiscard]] bool limits() const { return near_.capacity() > 0 && near_.lines() > near_.capacity(); }

  /// When a line that is asked for at `time` is there.
  double arrives(std::size_t line, double time) {
    if (near_.touch(line)) return arrives_[line];
    double& path = far_.touch(line) ? near_free_ : far_free_;
    const double cycles = &path == &near_free_ ? near_cycles_ : far_cycles_;
    path = std::max(path, time) + cycles;
    busy_ += cycles;
    return arrives_[line] = path;
  }
  /// Cycles for which lines were on their way.
  [[nodiscard]] double busy() const { return busy_; }

 private:
  /// Which lines are held, the one that was used last in front.
  class Cache {
   public:
    Cache(std::size_t lines, std::size_t capacity) : place_(lines, order_.end()), capacity_(capacity) {}
    [[nodiscard]] std::size_t lines() const { return place_.size(); }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    /// True where the line was held; it is, afterwards.
    bool touch(std::size_t line) {
      if (capacity_ == 0) return false;
      if (place_[line] != order_.end()) {
        order_.splice(order_.begin(), order_, place_[line]);
        return true;
      }
      if (order_.size() == capacity_) {
        place_[order_.back()] = order_.end();
        order_.pop_back();
      }
      order_.push_front(line);
      place_[line] = order_.begin();
      return false;
    }

   private:
    std::list<std::size_t> order_;
    std::vector<std::list<std::size_t>::iterator> place_;
    std::size_t capacity_;
  };

  Cache near_, far_;
  double near_cycles_, far_cycles_, near_free_ = 0, far_free_ = 0, busy_ = 0;
  std::vector<double> arrives_;
};

class MemoryPath {
 public:
  MemoryPath(const BlockTrace& trace, const KernelTimes& times, const MultiprocessorLoad& load,
             const BlockShift& shift);

  struct Times {
    double done;           ///< the result is there
    double operands_read;  ///< the registers with address and data are free
  };
  /// An access issued at `time` by a block at this position of the queue; `weight`: how often it ran, for the totals.
  Times access(const AccessRecord& record, std::int64_t position, double time, double weight);

  struct Totals {
    double lsu_busy = 0, l2_busy = 0, memory_busy = 0;  ///< cycles
    double loaded_sectors = 0, missed_sectors = 0, stored_sectors = 0;
  };
  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  Times from_shared(const AccessRecord& record, double begin, double weight);
  Times from_constant(const AccessRecord& record, double time);
  /// Sectors of a line that are written: when they are through the second level.
  double store_line(int sectors, bool atomic, double begin, double weight);
  /// What the cache has just given up of local memory goes to the second level.
  void write_back(double begin, double weight);
  /// When the missing sectors of a line arrive.
  double fetch_line(int sectors, double begin, double weight);
  [[nodiscard]] std::uint64_t shifted(std::uint64_t line, std::uint8_t buffer, std::int64_t position) const;

  const BlockTrace& trace_;
  const KernelTimes& times_;
  const MultiprocessorLoad& load_;
  const BlockShift& shift_;
  FirstLevelCache cache_;
  std::vector<std::uint64_t> buffers_;  ///< of the traced lines, numbered
  std::vector<std::uint8_t> line_buffer_;
  double lsu_free_ = 0, l2_free_ = 0, memory_free_ = 0, constant_free_ = 0;
  double l2_cycles_ = 0, memory_cycles_ = 0, lsu_cycles_ = 1, l1_pass_cycles_ = 1, request_cycles_ = 0;
  double due_loads_ = 0, due_stores_ = 0;  ///< sectors that the shares owe to memory
  Totals totals_;
};

/// How often every step of the traces ran: steps of a window stand for those that were left out after it, too.
[[nodiscard]] std::vector<std::vector<float>> step_weights(const BlockTrace& trace);
}  // namespace sparsecast::gpu_code
