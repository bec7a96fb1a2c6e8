#pragma once
// The way of a multiprocessor's memory instructions: load/store unit, first-level cache, then the second level and
// memory as servers of which this multiprocessor has its share. Private to the overlap model.

#include "gpu_code/overlap/first_level_cache.hpp"
#include "gpu_code/overlap/multiprocessor.hpp"

namespace sparsecast::gpu_code {

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

}  // namespace sparsecast::gpu_code
