#pragma once
// The way of a multiprocessor's memory instructions: load/store unit, first-level cache, then the second level and
// memory as servers of which this multiprocessor has its share. Private to the overlap model.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gpu_code/overlap/first_level_cache.hpp"
#include "gpu_code/overlap/multiprocessor.hpp"

namespace sparsecast::gpu_code {
class MemoryPath {
 public:
  MemoryPath(const BlockTrace& trace, const KernelTimes& times, const MultiprocessorLoad& load, const BlockShift& shift)
      : trace_(trace), times_(times), load_(load), shift_(shift), cache_(load.l1_bytes) {
    const double l2 =
        std::min(times.l2_to_sm_bytes_per_cycle, times.l2_bytes_per_cycle * times.l2_efficiency / load.sharers);
    l2_cycles_ = 32 / l2;
    memory_cycles_ = 32 / (times.memory_bandwidth * times.memory_efficiency / times.clock_hz / load.sharers);
    lsu_cycles_ = 128 / times.shared_bytes_per_cycle;
    l1_pass_cycles_ = 128 / times.l1_bytes_per_cycle;
    request_cycles_ = times.pipe.lsu_request;
    for (const auto& l : trace.line_pool) {
      const std::uint64_t buffer = l.line >> 33;
      auto found = std::find(buffers_.begin(), buffers_.end(), buffer);
      if (found == buffers_.end()) found = buffers_.insert(buffers_.end(), buffer);
      line_buffer_.push_back(static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(found - buffers_.begin(), 255)));
    }
  }

  struct Times {
    double done;           ///< the result is there
    double operands_read;  ///< the registers with address and data are free
  };
  /// An access issued at `time` by a block at this position of the queue; `weight`: how often it ran, for the totals.
  Times access(const AccessRecord& r, std::int64_t position, double time, double weight) {
    if (r.space == MemorySpace::constant) return from_constant(r, time);
    const double begin = std::max(time + 2, lsu_free_);
    if (r.space == MemorySpace::shared) return from_shared(r, begin, weight);
    const auto* lines = &trace_.line_pool[r.first_line];
    const double cycles = std::max(r.wavefronts * l1_pass_cycles_, request_cycles_);
    lsu_free_ = begin + cycles;
    totals_.lsu_busy += cycles * weight;
    double done = begin + cycles + times_.latency.l1 - 1;
    for (std::uint32_t i = 0; i < r.lines; ++i) {
      const std::uint64_t line = shifted(lines[i].line, line_buffer_[r.first_line + i], position);
      std::uint8_t missing = lines[i].sectors;
      if (r.store || r.atomic) {
        if (r.space == MemorySpace::local) {
          cache_.touch(line, lines[i].sectors, missing).dirty |= lines[i].sectors;
          write_back(begin, weight);
          continue;
        }
        const double out = store_line(std::popcount(lines[i].sectors), r.atomic, begin, weight);
        if (r.atomic) done = std::max(done, out + times_.latency.l2);
        continue;
      }
      totals_.loaded_sectors += std::popcount(lines[i].sectors) * weight;
      FirstLevelCache::Line* entry = nullptr;
      if (!r.bypass_l1) entry = &cache_.touch(line, lines[i].sectors, missing);
      write_back(begin, weight);
      if (missing == 0) {
        if (entry) done = std::max(done, entry->arrives);
        continue;
      }
      const double arrives = fetch_line(std::popcount(missing), begin + cycles, weight);
      if (entry) entry->arrives = std::max(entry->arrives, arrives);
      done = std::max(done, arrives);
    }
    return {done, lsu_free_};
  }

  struct Totals {
    double lsu_busy = 0, l2_busy = 0, memory_busy = 0;  ///< cycles
    double loaded_sectors = 0, missed_sectors = 0, stored_sectors = 0;
  };
  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  static double serve(double& free, double arrives, double cycles) {
    free = std::max(free, arrives) + cycles;
    return free;
  }

  Times from_shared(const AccessRecord& r, double begin, double weight) {
    const double passes = r.wavefronts * lsu_cycles_, cycles = std::max(passes, request_cycles_);
    lsu_free_ = begin + cycles;
    totals_.lsu_busy += cycles * weight;
    const double latency = r.atomic ? times_.latency.shared * 2 : times_.latency.shared;
    return {begin + passes + latency - lsu_cycles_, lsu_free_};
  }

  Times from_constant(const AccessRecord& r, double time) {
    constant_free_ = std::max(time, constant_free_) + r.wavefronts * 2.0;
    return {constant_free_ + times_.latency.constant, time + 2};
  }

  /// Sectors of a line that are written: when they are through the second level.
  double store_line(int sectors, bool atomic, double begin, double weight) {
    totals_.stored_sectors += sectors * weight;
    const double cycles = sectors * l2_cycles_ * (atomic ? 2 : 1);
    totals_.l2_busy += cycles * weight;
    const double out = serve(l2_free_, begin, cycles);
    due_stores_ += sectors * load_.memory_share_stores;
    const double to_memory = std::floor(due_stores_);
    due_stores_ -= to_memory;
    if (to_memory > 0) {
      totals_.memory_busy += to_memory * memory_cycles_ * weight;
      serve(memory_free_, out, to_memory * memory_cycles_);
    }
    return out;
  }

  /// What the cache has just given up of local memory goes to the second level.
  void write_back(double begin, double weight) {
    if (const int sectors = cache_.written_back(); sectors > 0) store_line(sectors, false, begin, weight);
  }

  /// When the missing sectors of a line arrive.
  double fetch_line(int sectors, double begin, double weight) {
    totals_.missed_sectors += sectors * weight;
    totals_.l2_busy += sectors * l2_cycles_ * weight;
    const double out = serve(l2_free_, begin, sectors * l2_cycles_);
    const double arrives = out + times_.latency.l2;
    // Misses of the second level come together: what one access asks for lies close by and was fetched at one time.
    due_loads_ += sectors * load_.memory_share_loads;
    if (due_loads_ < sectors - 1e-9) return arrives;
    due_loads_ -= sectors;
    const double cycles = sectors * memory_cycles_ * load_.memory_overfetch;
    totals_.memory_busy += cycles * weight;
    return std::max(arrives, serve(memory_free_, out, cycles) + times_.latency.memory);
  }

  [[nodiscard]] std::uint64_t shifted(std::uint64_t line, std::uint8_t buffer, std::int64_t position) const {
    if (position == 0 || !shift_) return line;
    return line + static_cast<std::uint64_t>(shift_(position, buffers_[buffer]) / 128);
  }

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
}  // namespace sparsecast::gpu_code
