#pragma once
// What the atomic operations of a block ask of the second level. Those on one address follow each other, whichever
// lane, warp or block they come from; what one access asks of several addresses of a line is done together.

#include <cstdint>
#include <vector>

#include "gpu_code/trace/block_trace.hpp"

namespace sparsecast::gpu_code {
struct AtomicLine {
  std::uint64_t line = 0;
  double passes = 0;  ///< operations on it that follow each other
};

struct AtomicLines {
  std::vector<AtomicLine> lines;     ///< at known addresses of global memory, ascending
  double passes = 0;                 ///< on all of them
  double scattered_operations = 0;   ///< of lanes, at addresses of global memory that depend on unknown data
  double shared_unknown_passes = 0;  ///< by which shared memory would take longer if such lanes met at one address
  double warp_on_one_address = 0;    ///< passes of accesses of which several lanes name one address
  [[nodiscard]] bool none() const { return lines.empty() && scattered_operations <= 0 && shared_unknown_passes <= 0; }
  [[nodiscard]] double hottest() const;
};

/// Of the whole block: what its trace leaves out of a loop counts as what it holds of it.
[[nodiscard]] AtomicLines atomic_lines(const BlockTrace& trace);
}  // namespace sparsecast::gpu_code
