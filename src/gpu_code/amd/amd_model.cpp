#include "gpu_code/amd/amd_model.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>

#include "gpu_code/amd/amd_chain.hpp"
#include "gpu_code/overlap/atomic_time.hpp"
#include "gpu_code/ptx/ptx_operations.hpp"
#include "gpu_code/ptx/ptx_source.hpp"
#include "gpu_code/trace/atomic_lines.hpp"

namespace sparsecast::gpu_code {
namespace {
constexpr const char* latency_chain = "latency chain";

/// 64, or 32 on RDNA.
double wave_lanes_of(const KernelTimes& times) { return 32.0 * times.wave_warps; }

/// What a warp does in one statement of the source, by the trace.
struct StatementWork {
  double instructions = 0, dwords = 0;
  bool narrow_shared = false;  ///< shared memory is reached by single words, whose alignment says no more
};

std::map<std::int32_t, StatementWork> work_by_statement(const PtxCode& ptx, const SourceStatements& statements,
                                                        const BlockTrace& trace, double warps) {
  std::map<std::int32_t, StatementWork> work;
  for (std::int32_t pc = 0; pc < ptx.size(); ++pc) {
    const auto& in = ptx.kernel().body[static_cast<std::size_t>(pc)];
    auto& here = work[statements.at(shown_line(ptx.module(), in), in.source_column)];
    const double times = static_cast<double>(trace.executed[static_cast<std::size_t>(pc)]) / warps;
    here.instructions += times;
    const bool memory = in.op == PtxOp::ld || in.op == PtxOp::st || in.op == PtxOp::atom || in.op == PtxOp::red;
    if (!memory || (in.space != PtxSpace::shared && in.space != PtxSpace::global)) continue;
    const int words = std::max(1, in.type.bytes * std::max<int>(in.type.lanes, 1) / 4);
    here.dwords += times * words;
    here.narrow_shared |= in.space == PtxSpace::shared && words == 1;
  }
  return work;
}

/// How often a wave passes each loop of the assembly: what the trace moves in the loop's statements over what one pass
/// of all loops with them moves (a compiler makes several loops of one); by instructions where it moves nothing.
std::map<std::int32_t, double> passes_of_loops(const AmdKernel& kernel, const SourceStatements& statements,
                                               const std::map<std::int32_t, StatementWork>& work) {
  struct Sums {
    double instructions = 0, dwords = 0;
  };
  std::map<std::int32_t, std::map<std::int32_t, Sums>> loops;  // loop, statement
  std::map<std::int32_t, Sums> all_loops;                      // statement
  for (const auto& in : kernel.instructions) {
    const auto place = statements.at(in.line, in.column);
    for (auto* sums : {&loops[in.loop][place], in.loop != 0 ? &all_loops[place] : nullptr}) {
      if (sums == nullptr) continue;
      ++sums->instructions;
      if (in.kind == AmdKind::lds || in.kind == AmdKind::global) sums->dwords += in.dwords;
    }
  }
  std::map<std::int32_t, double> passes{{0, 1.0}};
  for (const auto& [loop, places] : loops) {
    if (loop == 0) continue;
    Sums here, traced;
    for (const auto& [place, own] : places) {
      const auto found = work.find(place);
      if (place == 0 || found == work.end()) continue;
      const auto& sums = all_loops[place];
      const auto& once = loops[0][place];  // what stands outside of loops is passed once
      here.instructions += sums.instructions;
      here.dwords += sums.dwords;
      traced.instructions += std::max(found->second.instructions - once.instructions, 0.0);
      if (sums.dwords > 0) traced.dwords += std::max(found->second.dwords - once.dwords, 0.0);
    }
    double times = 1;
    if (here.dwords > 0)
      times = traced.dwords / here.dwords;
    else if (here.instructions > 0)
      times = traced.instructions / here.instructions;
    passes[loop] = std::max(times, 1.0);
  }
  return passes;
}

/// Cycles of a compute unit for one block, and bytes of scratch memory.
struct BlockWork {
  double vector = 0, lds = 0, cache = 0, latency = 0, scratch_bytes = 0, instructions = 0;
  double waits = 0, loads = 0, scratch_loads = 0;  ///< of one wave
};

BlockWork block_work(const AmdCode& code, const PtxCode& ptx, const TracedLaunch& traced, const KernelTimes& times) {
  const auto& kernel = code.kernel;
  const auto work =
      work_by_statement(ptx, code.statements, traced.trace, static_cast<double>(traced.launch.warps_per_block()));
  const auto passes = passes_of_loops(kernel, code.statements, work);
  const auto threads = static_cast<double>(traced.launch.threads_per_block());
  const double wave_lanes = wave_lanes_of(times), waves = std::ceil(threads / wave_lanes), lanes = threads / waves;
  BlockWork b;
  double on_the_way = 0;  // loads since the last wait for one, by the passes of their loops: they come back together
  for (const auto& in : kernel.instructions) {
    const double runs = passes.at(in.loop) * waves;
    b.instructions += runs;
    if (in.kind == AmdKind::wait || in.kind == AmdKind::wait_for_loads) b.waits += passes.at(in.loop);
    if (in.kind == AmdKind::wait_for_loads) b.latency += std::exchange(on_the_way, 0.0) * times.latency.l2;
    if (in.dwords > 0 && !in.store) (in.kind == AmdKind::scratch ? b.scratch_loads : b.loads) += passes.at(in.loop);
    switch (in.kind) {
      case AmdKind::vector: b.vector += runs * amd_issue_cycles(in, times) / times.partitions; break;
      case AmdKind::lds: {
        // Words that go in pairs without the alignment of a pair: a lane and pair at a time.
        const auto here = work.find(code.statements.at(in.line, in.column));
        const bool misaligned = times.pairs_by_lane && in.wide && (here == work.end() || here->second.narrow_shared);
        b.lds +=
            runs * (misaligned ? lanes * in.dwords / 2 : in.dwords * wave_lanes * 4 / times.shared_bytes_per_cycle);
        break;
      }
      case AmdKind::global:
        b.cache += runs * in.dwords * lanes * 4 / times.l1_bytes_per_cycle;
        if (in.loop != 0 && !in.store) on_the_way = std::max(on_the_way, passes.at(in.loop));
        break;
      case AmdKind::scratch: b.scratch_bytes += runs * in.dwords * lanes * 4; break;
      default: break;
    }
  }
  b.latency += amd_chain_cycles(kernel, passes, times);
  return b;
}

/// Cycles of what a block keeps busy the longest, but for the waiting of its own waves.
double busiest(const LaunchParts& d) {
  double most = 0;
  for (const auto& [name, cycles] : d.cycles_per_block)
    if (name != latency_chain) most = std::max(most, cycles);
  return most;
}
}  // namespace

Overlap amd_time(const AmdCode& code, const PtxCode& ptx, const TracedLaunch& traced, const KernelTimes& times,
                 const Occupancy& fits) {
  const auto b = block_work(code, ptx, traced, times);
  const auto blocks = static_cast<double>(traced.launch.blocks());
  const double capacity = static_cast<double>(times.multiprocessors) * fits.blocks;
  // Whole rounds of resident blocks, and what is left spread evenly.
  const double per_unit =
      std::floor(blocks / capacity) * fits.blocks + std::ceil(std::fmod(blocks, capacity) / times.multiprocessors);
  const double wave_lanes = wave_lanes_of(times);
  const double waves = std::ceil(static_cast<double>(traced.launch.threads_per_block()) / wave_lanes);
  // Scratch memory of all resident waves stays in the second level where it fits.
  const double scratch_resident = capacity * waves * wave_lanes * static_cast<double>(code.kernel.scratch_bytes);
  const double l2_rate = times.l2_bytes_per_cycle * times.l2_efficiency;
  const double memory_rate = times.memory_bandwidth * times.memory_efficiency / times.clock_hz;
  const double unit_rate =
      (scratch_resident > static_cast<double>(times.l2_bytes) ? memory_rate : l2_rate) / times.multiprocessors;
  // Its loads are waited for by each wave; the more waves there are, the more of that is hidden.
  const double scratch_waits = b.scratch_loads > 0 ? b.waits * b.scratch_loads / (b.scratch_loads + b.loads) : 0.0;
  const double scratch = std::max(b.scratch_bytes / unit_rate, scratch_waits * times.latency.l2 / fits.blocks);
  const double bytes = traced.footprint.memory_load_bytes + traced.footprint.memory_store_bytes;
  const double memory = bytes / blocks * times.multiprocessors / memory_rate;

  Overlap result;
  auto& d = result.details;
  d.cycles_per_block = {{"vector units", b.vector},  {"LDS", b.lds},
                        {"vector cache", b.cache},   {"memory bandwidth", memory},
                        {"scratch memory", scratch}, {latency_chain, b.latency / fits.blocks}};
  const AtomicTime atomic = atomic_time(traced.footprint.atomics, times, per_unit);
  const char* const atomics = atomic.one_address ? bound_by_one_address : "atomic units";
  if (atomic.cycles > 0) d.cycles_per_block.emplace_back(atomics, atomic.cycles / per_unit);
  std::ranges::stable_sort(d.cycles_per_block, [](const auto& x, const auto& y) { return x.second > y.second; });
  const double cycles = d.cycles_per_block.front().second * per_unit * traced.mean_work;
  d.launch_s = times.launch_s;
  d.waves = static_cast<std::int64_t>(std::ceil(per_unit / fits.blocks));
  d.wave_s = times.seconds(cycles / static_cast<double>(d.waves));
  d.resident_warps = static_cast<int>(fits.blocks * waves);
  d.warp_instructions = std::llround(b.instructions * blocks);
  d.memory_bytes = bytes + b.scratch_bytes * blocks;
  d.l2_bytes = 32 * (traced.footprint.block_loaded_sectors + traced.footprint.block_stored_sectors) * blocks +
               b.scratch_bytes * blocks;
  d.warps_to_hide = static_cast<int>(std::ceil(b.latency / std::max(busiest(d), 1.0)) * waves);
  d.schedule = "back end's assembly, without a schedule";
  d.clock_hz = times.clock_hz;
  result.estimate.model = "overlapped";
  const double seconds = times.launch_s + times.seconds(cycles);
  result.estimate.seconds = seconds;
  result.estimate.cycles = seconds * times.clock_hz;
  result.estimate.bound_by = d.cycles_per_block.front().first;
  add_atomic_doubt(atomic, traced.footprint.atomics, times, cycles, result);
  return result;
}

double amd_alone_s(const AmdCode& code, const PtxCode& ptx, const Launch& launch, const Dim3& block,
                   const BlockTrace& trace, const KernelTimes& times, Occupancy fits) {
  Launch alone = launch;
  alone.grid = {1, 1, 1};
  fits.blocks = 1;
  const auto one = amd_time(code, ptx, {alone, block, trace, LaunchFootprint{}}, times, fits);
  const double in_order = times.seconds(atomic_lines(trace).hottest() * times.atomic_cycles);
  return std::max(one.estimate.seconds.value() - times.launch_s, in_order);
}
}  // namespace sparsecast::gpu_code
