#pragma once
// `overlapped`: arithmetic and memory of different warps hide each other. The traced block's code runs on one
// multiprocessor (multiprocessor.hpp) with its share of the second level and of memory; whole waves and the rest make
// the launch. What a block keeps busy the longest says what bounds it.

#include <string>
#include <utility>
#include <vector>

#include "gpu_code/overlap/timed_code.hpp"
#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/trace/footprint.hpp"
#include "gpu_code/trace/warp_run.hpp"

namespace sparsecast::gpu_code {
struct KernelEstimate {
  std::string model;
  double seconds = 0;
  double cycles = 0;  ///< 0 where there is no device
  std::string bound_by;
  std::string expression;        ///< with symbolic only
  double low_s = 0, high_s = 0;  ///< between which a measurement is expected; 0 where nothing says (the paper's models)
};

/// Parts of the overlapped model, for the explanation.
struct OverlapDetails {
  double launch_s = 0, transient_s = 0, wave_s = 0;  ///< time = launch + transient + waves · wave
  std::int64_t waves = 0;
  std::vector<std::pair<std::string, double>> cycles_per_block;  ///< every resource's share, longest first
  int resident_warps = 0, warps_to_hide = 0;
  std::string schedule;                   ///< "machine code" or "PTX"
  double memory_bytes = 0, l2_bytes = 0;  ///< moved by the whole launch
  double l1_hit_share = 0;
  std::int64_t instructions = 0;  ///< warp instructions of the whole launch
  double clock_hz = 0;            ///< that the forecast took
};

struct Overlap {
  KernelEstimate estimate;
  OverlapDetails details;
};

/// What of a launch was traced: one block, and how the others differ from it.
struct TracedLaunch {
  const Launch& launch;
  Dim3 base;  ///< the block
  const BlockTrace& trace;
  const LaunchFootprint& footprint;
  double mean_work = 1;  ///< of all blocks over that of this one
};

/// At the table's clock.
[[nodiscard]] Overlap overlapped(const TimedCode& timed, const TracedLaunch& traced, const KernelTimes& times,
                                 const Occupancy& fits);

/// Mean work of a block over that of `base`: the last blocks in a direction may have less, and where there are few,
/// they count.
[[nodiscard]] double mean_work(const Code& code, const Launch& launch, const Dim3& base, const BlockTrace& block);

// Traces as they would be without one of the things that authors of kernels take out: what a forecast of them gains is
// what the change is worth.

/// Shared memory without bank conflicts: every access in as few passes as its bytes need.
[[nodiscard]] BlockTrace without_bank_conflicts(const BlockTrace& trace);
/// Global accesses in as few lines as their bytes need.
[[nodiscard]] BlockTrace coalesced(const BlockTrace& trace);
/// Without local memory, where registers are spilled.
[[nodiscard]] BlockTrace without_local_memory(const BlockTrace& trace);
}  // namespace sparsecast::gpu_code
