#pragma once
// `overlapped`: arithmetic and memory of different warps hide each other. The traced block's code runs on one
// multiprocessor (multiprocessor.cpp) with its share of the second level and of memory; whole waves and the rest make
// the launch. What a block keeps busy the longest says what bounds it.

#include <functional>

#include "gpu_code/sass/sass_machine.hpp"
#include "gpu_code/trace/warp_run.hpp"

namespace sparsecast::gpu_code {
// The static times of a kernel's instructions: which pipe each takes, how long its result takes, and what it waits for.
// Machine code carries the compiler's own schedule (stall counts and scoreboards); PTX has registers only.

struct TimedInstruction {
  Pipe pipe = Pipe::none;
  bool free = false;       ///< takes no issue slot: folded into others by the compiler
  std::uint8_t stall = 1;  ///< machine code: cycles until the warp's next instruction
  std::uint8_t wait = 0;   ///< machine code: scoreboards that must be clear
  std::uint8_t write_barrier = 7, read_barrier = 7;
  std::array<std::uint8_t, 2> bank_reads{};  ///< machine code, arithmetic: sources read from each register bank
  float cycles = 1;                          ///< for which it keeps its pipe
  float latency = 4;                         ///< until its result is there; memory instructions: from the cache's side
  std::vector<std::int32_t> reads, writes;   ///< PTX: registers
};

struct TimedCode {
  std::vector<TimedInstruction> instructions;
  bool scoreboards = false;   ///< machine code
  std::size_t registers = 0;  ///< PTX
};

[[nodiscard]] TimedCode timed_sass(const SassCode& code, const KernelTimes& times);
[[nodiscard]] TimedCode timed_ptx(const PtxCode& code, const KernelTimes& times);

// One multiprocessor running the blocks that fall to it, as a max-plus recursion: every instruction of every warp is an
// event whose time is the maximum over what it waits for (its warp's order, scoreboards, the issue slot, its pipe, the
// load/store unit, caches and memory as servers), plus a time. The recursion is run over the traces of machine.hpp for
// as many whole waves of blocks as the budget of instructions allows (six at most) and the last, partial one. The
// period is the mean time of the waves after the first; waves that are not run take a period each. The result is never
// below the busy cycles of a resource.

/// Shift in bytes of the accesses to each buffer (address >> 40) for a block at this position of the multiprocessor's
/// queue.
using BlockShift = std::function<std::int64_t(std::int64_t position, std::uint64_t buffer)>;

struct MultiprocessorLoad {
  std::int64_t blocks = 1;  ///< that this multiprocessor runs
  int resident = 1;         ///< at once
  std::int64_t l1_bytes = 32768;
  double memory_share_loads = 1,
         memory_share_stores = 1;  ///< share of the sectors that go past the second-level cache to memory
  double memory_overfetch = 1;     ///< bytes that memory moves per byte asked of it by loads
  int sharers = 1;                 ///< multiprocessors that share the second-level cache and memory at this time
  std::int64_t most_instructions = 600'000;
};

struct MultiprocessorRun {
  double cycles = 0;            ///< for all its blocks
  double wave_cycles = 0;       ///< mean time of a wave of `resident` blocks after the first
  double transient_cycles = 0;  ///< cycles − full waves × wave_cycles
  /// What a block keeps each resource busy; of the busiest partition where each has one.
  std::vector<std::pair<std::string_view, double>> busy;
  double l1_load_sectors = 0, l1_missed_sectors = 0, stored_sectors = 0;
};

[[nodiscard]] MultiprocessorRun run_multiprocessor(const TimedCode& code, const BlockTrace& trace,
                                                   const KernelTimes& times, const MultiprocessorLoad& load,
                                                   const BlockShift& shift);

/// An estimate with its parts.
struct Overlap {
  LaunchEstimate estimate;
  LaunchParts details;
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

/// Mean work of a block over that of `base`: the last blocks in a direction may have less, and where there are few,
/// they count. Where data decide (Launch::longest_block), blocks from all over the launch tell it.
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
