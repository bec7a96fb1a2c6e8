#pragma once
// How instructions reach a multiprocessor: two caches for code, the least recently used line goes first, and behind
// each a path of limited bandwidth. Straight code that is longer than the caches is fetched again by every block.
// Private to the overlap model.

#include <algorithm>
#include <cstddef>
#include <list>
#include <vector>

#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::gpu_code {
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
}  // namespace sparsecast::gpu_code
