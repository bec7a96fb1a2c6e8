#pragma once
// `overlapped`: arithmetic and memory of different warps hide each other. The traced block's code runs on one
// multiprocessor with its share of the second level and of memory; whole waves and the rest make the launch. What a
// block keeps busy the longest says what bounds it.

#include <sparsecast/kernel_forecast.hpp>

#include "gpu_code/overlap/timed_code.hpp"
#include "gpu_code/times/occupancy.hpp"
#include "gpu_code/trace/footprint.hpp"

namespace sparsecast::gpu_code {
/// An estimate with its parts.
struct Overlap {
  LaunchEstimate estimate;
  LaunchParts details;
  double low = 1, high = 1;        ///< by which the interval is wider, as blocks differ
  std::vector<std::string> notes;  ///< what is to be said of it
};

/// What of a launch was traced: one block, and how the others differ from it.
struct TracedLaunch {
  const Launch& launch;
  Dim3 base;  ///< the block
  const BlockTrace& trace;
  const LaunchFootprint& footprint;
  double mean_work = 1;                 ///< of all blocks over that of this one
  const BlockTrace* longest = nullptr;  ///< the block that takes longest, where it is known: no launch ends before it
};

/// At the table's clock.
[[nodiscard]] Overlap overlapped(const TimedCode& timed, const TracedLaunch& traced, const KernelTimes& times,
                                 const Occupancy& fits);

/// Of a block alone on a multiprocessor, without the start of the launch.
[[nodiscard]] double alone_seconds(const TimedCode& timed, const BlockTrace& block, const KernelTimes& times,
                                   const Occupancy& fits);

/// Mean work of a block over that of `base`: the last blocks in a direction may have less, and where there are few,
/// they count. Where data decide (Launch::longest_block), blocks from all over the launch tell it.
[[nodiscard]] double mean_work(const Code& code, const Launch& launch, const Dim3& base, const BlockTrace& block);
}  // namespace sparsecast::gpu_code
