#include "gpu_code/overlap/overlap_model.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "gpu_code/overlap/atomic_time.hpp"
#include "gpu_code/overlap/multiprocessor.hpp"
#include "gpu_code/trace/atomic_lines.hpp"
#include "gpu_code/trace/warp_run.hpp"

namespace sparsecast::gpu_code {
namespace {
/// Share of the sectors that go past the second-level cache.
double memory_share(double memory_bytes, double sectors) {
  return sectors > 0 ? std::min(1.0, memory_bytes / (32 * sectors)) : 0.0;
}

MultiprocessorLoad load_of(const TracedLaunch& traced, const KernelTimes& times, const Occupancy& fits) {
  const std::int64_t blocks = traced.launch.blocks();
  MultiprocessorLoad load;
  load.sharers = static_cast<int>(std::min<std::int64_t>(times.multiprocessors, blocks));
  load.l1_bytes = fits.l1_bytes;
  // Whole waves, then what is left dealt out evenly.
  const std::int64_t capacity = static_cast<std::int64_t>(times.multiprocessors) * fits.blocks;
  const std::int64_t full = blocks / capacity, rest = blocks % capacity;
  load.blocks = full * fits.blocks + (rest + times.multiprocessors - 1) / times.multiprocessors;
  load.resident = static_cast<int>(std::min<std::int64_t>(fits.blocks, load.blocks));
  const auto& footprint = traced.footprint;
  const auto count = static_cast<double>(blocks);
  load.memory_share_loads = memory_share(32 * footprint.memory_load_sectors, footprint.block_loaded_sectors * count);
  if (footprint.memory_load_sectors > 0)
    load.memory_overfetch = footprint.memory_load_bytes / (32 * footprint.memory_load_sectors);
  load.memory_share_stores = memory_share(footprint.memory_store_bytes, footprint.block_stored_sectors * count);
  return load;
}

/// How far the accesses of the block that a multiprocessor takes up at some position lie from those of the traced one.
BlockShift shift_of(const TracedLaunch& traced, const MultiprocessorLoad& load) {
  return [&traced, sharers = load.sharers, resident = load.resident](std::int64_t position,
                                                                     std::uint64_t buffer) -> std::int64_t {
    if (buffer == scattered_buffer) return position * 40'503 * 128;  // elsewhere for every block
    if (buffer == local_buffer) return position % resident * local_block_bytes;
    const std::int64_t number = traced.launch.number_of(traced.base) + position * sharers;
    return traced.footprint.shift(buffer, traced.base, traced.launch.block_at(number % traced.launch.blocks()));
  };
}

/// What a block keeps busy for how long, the longest first, and its own chain of instructions shared out over the
/// resident blocks. The greatest of them bounds a block's share of the time from below; it explains, the time has been
/// found without it. The result names it.
std::string busiest(const MultiprocessorRun& run, double chain_cycles, int resident, std::int64_t warps_per_block,
                    double atomic_cycles, LaunchParts& d) {
  double most = 0;
  if (atomic_cycles > 0) d.cycles_per_block.emplace_back("atomic operations", atomic_cycles);
  for (const auto& [name, busy] : run.busy)
    if (busy > 0) {
      most = std::max(most, busy);
      d.cycles_per_block.emplace_back(name, busy);
    }
  d.warps_to_hide = most > 0 ? static_cast<int>(std::ceil(chain_cycles / most) * static_cast<double>(warps_per_block))
                             : d.resident_warps;
  d.cycles_per_block.emplace_back("latency chain", chain_cycles / static_cast<double>(resident));
  std::ranges::stable_sort(d.cycles_per_block, std::ranges::greater{}, &std::pair<std::string, double>::second);
  return d.cycles_per_block.front().first;
}

MultiprocessorRun run_alone(const TimedCode& timed, const BlockTrace& block, const KernelTimes& times,
                            MultiprocessorLoad load) {
  load.blocks = load.resident = load.sharers = 1;
  return run_multiprocessor(timed, block, times, load, {});
}
}  // namespace

double alone_seconds(const TimedCode& timed, const BlockTrace& block, const KernelTimes& times, const Occupancy& fits) {
  MultiprocessorLoad load;
  load.l1_bytes = fits.l1_bytes;
  load.memory_share_loads = load.memory_share_stores = 0;  // of one block alone: what it needs lies in the second level
  const double in_order = atomic_lines(block).hottest() * times.atomic_cycles;
  return times.seconds(std::max(run_alone(timed, block, times, load).cycles, in_order));
}

Overlap overlapped(const TimedCode& timed, const TracedLaunch& traced, const KernelTimes& times,
                   const Occupancy& fits) {
  MultiprocessorLoad load = load_of(traced, times, fits);
  const BlockShift shift = shift_of(traced, load);
  const auto count = static_cast<double>(traced.launch.blocks());
  const auto& footprint = traced.footprint;
  auto run = run_multiprocessor(timed, traced.trace, times, load, shift);
  // The first-level cache lets more (or, by its other blocks, fewer) sectors through than one block's distinct ones.
  if (const double corrected = memory_share(32 * footprint.memory_load_sectors, run.l1_missed_sectors * count);
      std::fabs(corrected - load.memory_share_loads) > 0.1) {
    load.memory_share_loads = corrected;
    run = run_multiprocessor(timed, traced.trace, times, load, shift);
  }
  const auto single = run_alone(timed, traced.trace, times, load);
  // Where the others have less to do, the launch still does not end before this one, nor before the longest.
  double cycles =
      traced.mean_work < 1 ? std::max(run.cycles * traced.mean_work, single.cycles) : run.cycles * traced.mean_work;
  const AtomicTime atomic = atomic_time(footprint.atomics, times, static_cast<double>(load.blocks));
  const bool by_atomics = atomic.cycles * traced.mean_work > cycles;
  cycles = std::max(cycles, atomic.cycles * traced.mean_work);
  if (traced.longest != nullptr) cycles = std::max(cycles, run_alone(timed, *traced.longest, times, load).cycles);

  Overlap result;
  auto& d = result.details;
  d.launch_s = times.launch_s;
  d.waves = (load.blocks + load.resident - 1) / load.resident;
  // Where the last wave is so partial that the whole takes less than its waves, a wave is the mean of all.
  const bool shorter = run.transient_cycles < 0;
  d.wave_s = times.seconds(shorter ? run.cycles / static_cast<double>(d.waves) : run.wave_cycles);
  d.transient_s = shorter ? 0 : times.seconds(run.transient_cycles);
  // The parts add up to the time: where other blocks make it longer or shorter, a wave is the mean of all again.
  if (cycles != run.cycles) {
    d.transient_s = std::min(d.transient_s, times.seconds(cycles));
    d.wave_s = (times.seconds(cycles) - d.transient_s) / static_cast<double>(d.waves);
  }
  d.resident_warps = static_cast<int>(load.resident * traced.launch.warps_per_block());
  d.warp_instructions = static_cast<std::int64_t>(traced.trace.work() * count * traced.mean_work);
  d.memory_bytes = footprint.memory_load_bytes + footprint.memory_store_bytes;
  d.l2_bytes = (run.l1_missed_sectors + run.stored_sectors) * 32 * count;
  d.l1_hit_share = run.l1_load_sectors > 0 ? 1 - run.l1_missed_sectors / run.l1_load_sectors : 0;
  d.schedule = timed.scoreboards ? "machine code" : "PTX";
  d.clock_hz = times.clock_hz;
  result.estimate.model = "overlapped";
  result.estimate.bound_by = busiest(run, single.cycles, load.resident, traced.launch.warps_per_block(),
                                     atomic.cycles / static_cast<double>(load.blocks), d);
  if (cycles > run.cycles * traced.mean_work) result.estimate.bound_by = "longest block";
  if (by_atomics) result.estimate.bound_by = atomic.one_address ? bound_by_one_address : "atomic units";
  add_atomic_doubt(atomic, footprint.atomics, times, cycles, result);
  const double seconds = times.launch_s + times.seconds(cycles);
  result.estimate.seconds = seconds;
  result.estimate.cycles = seconds * times.clock_hz;
  return result;
}

double mean_work(const Code& code, const Launch& launch, const Dim3& base, const BlockTrace& block) {
  constexpr std::int64_t few = 64;
  TraceOptions options;
  options.keep_trace = false;
  if (launch.longest_block) {
    constexpr std::int64_t samples = 32;
    double work = 0;
    const std::int64_t count = std::min(samples, launch.blocks());
    for (std::int64_t k = 0; k < count; ++k)
      work += run_block(code, launch, launch.block_at((2 * k + 1) * launch.blocks() / (2 * count)), options).work();
    return work / static_cast<double>(count) / std::max(block.work(), 1.0);
  }
  double mean = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (launch.grid[d] < 2 || launch.grid[d] > few) continue;
    Dim3 last = base;
    last[d] = launch.grid[d] - 1;
    const double share = std::max(run_block(code, launch, last, options).work(), 1.0) / std::max(block.work(), 1.0);
    mean *= 1 + (share - 1) / static_cast<double>(launch.grid[d]);
  }
  return mean;
}
}  // namespace sparsecast::gpu_code
