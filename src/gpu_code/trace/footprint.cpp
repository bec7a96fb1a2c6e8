#include "gpu_code/trace/footprint.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sparsecast/error.hpp>
#include <unordered_set>

#include "gpu_code/trace/atomic_traffic.hpp"
#include "gpu_code/trace/warp_run.hpp"

namespace sparsecast::gpu_code {
namespace {
std::uint64_t buffer_of(std::uint64_t line) { return line >> 33; }

/// Shift per buffer between the traces of one warp in two blocks: what most of its accesses moved by.
std::map<std::uint64_t, std::int64_t> compare(const BlockTrace& a, const BlockTrace& b, std::size_t warp) {
  std::map<std::uint64_t, std::map<std::int64_t, int>> votes;
  const auto &left = a.warps[warp], &right = b.warps[warp];
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i].instruction != right[i].instruction) break;
    if (left[i].instruction < 0 || left[i].detail < 0 || right[i].detail < 0) continue;
    const auto &x = a.accesses[static_cast<std::size_t>(left[i].detail)],
               &y = b.accesses[static_cast<std::size_t>(right[i].detail)];
    if (x.space != MemorySpace::global || x.lines == 0 || y.lines == 0) continue;
    ++votes[x.first_address >> 40][static_cast<std::int64_t>(y.first_address - x.first_address)];
  }
  std::map<std::uint64_t, std::int64_t> result;
  for (const auto& [buffer, counts] : votes)
    result[buffer] = std::max_element(counts.begin(), counts.end(), [](const auto& p, const auto& q) {
                       return p.second < q.second;
                     })->first;
  return result;
}

/// Distinct pieces of memory: sectors of 32 bytes, what memory moves at once, and lines of 128 bytes.
using Extent = Eigen::Array3d;
constexpr int sectors = 0, granules = 1, lines = 2;

Extent larger(const Extent& a, const Extent& b) { return a[lines] > b[lines] ? a : b; }

/// Memory moves `granule` bytes (32 or 64) at once: which halves of a line a mask of sectors touches.
int granules_of(std::uint8_t mask, int granule) {
  if (granule <= 32) return std::popcount(mask);
  return ((mask & 3) != 0) + ((mask & 12) != 0);
}

/// Distinct pieces of one buffer's lines under a set of shifts, up to a bound on the work, then scaled.
Extent distinct(const std::vector<LineAccess>& touched, const std::vector<std::int64_t>& shifts, int granule) {
  if (touched.empty() || shifts.empty()) return Extent::Zero();
  constexpr std::size_t most = 300'000;
  const std::size_t used = std::clamp<std::size_t>(most / touched.size(), 1, shifts.size());
  std::unordered_map<std::uint64_t, std::uint8_t> seen;
  seen.reserve(std::min(most, touched.size() * used));
  for (std::size_t s = 0; s < used; ++s) {
    const std::int64_t by = shifts[s] / 32;
    for (const auto& l : touched)
      for (unsigned mask = l.sectors; mask != 0; mask &= mask - 1) {
        const auto sector =
            l.line * 4 + static_cast<std::uint64_t>(std::countr_zero(mask)) + static_cast<std::uint64_t>(by);
        seen[sector / 4] |= static_cast<std::uint8_t>(1u << (sector % 4));
      }
  }
  Extent e(0, 0, static_cast<double>(seen.size()));
  for (const auto& [line, mask] : seen) {
    e[sectors] += std::popcount(mask);
    e[granules] += granules_of(mask, granule);
  }
  return e * (static_cast<double>(shifts.size()) / static_cast<double>(used));
}

/// What n blocks touch of a region of which each touches this much, anywhere.
Extent scattered(const Extent& block, double blocks, const Launch& launch, double bytes_per_element, int granule) {
  const double bytes = static_cast<double>(scattered_elements(launch)) * bytes_per_element;
  const auto of = [&](double each, double piece) {
    const double pieces = std::max(bytes / piece, 1.0);
    return pieces * -std::expm1(-blocks * each / pieces);
  };
  return {of(block[sectors], 32), of(block[granules], granule), of(block[lines], 128)};
}

/// A block's first warp alone; with all others where it needs what they put to shared memory.
BlockTrace first_warp(const Code& code, const Launch& launch, const Dim3& block, TraceOptions options) {
  options.only_warp = 0;
  try {
    return run_block(code, launch, block, options);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || launch.warps_per_block() < 2) throw;
  }
  options.only_warp = -1;
  return run_block(code, launch, block, options);
}

/// How addresses move from block to block: `base` and its neighbours in every direction are run, one warp each.
std::vector<BufferShift> find_shifts(const Code& code, const Launch& launch, const Dim3& base) {
  std::map<std::uint64_t, BufferShift> shifts;
  TraceOptions options;
  options.window = 400;
  std::optional<BlockTrace> here;
  for (std::size_t d = 0; d < 3; ++d) {
    if (launch.grid[d] < 2) continue;
    if (!here) here = first_warp(code, launch, base, options);
    // The neighbour; where that does nothing alike (every other block works), the next ones.
    for (const std::int64_t away : {1, -1, 2, -2, 3, -3}) {
      Dim3 other = base;
      other[d] += away;
      if (other[d] < 0 || other[d] >= launch.grid[d]) continue;
      const auto moved = compare(*here, first_warp(code, launch, other, options), 0);
      for (const auto& [buffer, by] : moved) {
        shifts[buffer].buffer = buffer;
        shifts[buffer].step[d] = by / away;
      }
      if (!moved.empty() || here->accesses.empty()) break;
    }
  }
  std::vector<BufferShift> list;
  for (const auto& [buffer, s] : shifts) list.push_back(s);
  return list;
}

/// What one buffer's loads, or its stores, touch.
struct Buffer {
  std::vector<LineAccess> touched;
  bool stored = false;
  Extent one_wave, two_waves, all;
};

/// The extents of a launch's buffers, from the lines of one block and the shifts of the others.
class Extents {
 public:
  Extents(const Launch& launch, const Dim3& base, const BlockTrace& block, const KernelTimes& times,
          int resident_blocks, LaunchFootprint& result)
      : launch_(launch),
        base_(base),
        block_(block),
        granule_(times.memory_access_bytes),
        blocks_(launch.blocks()),
        wave_(std::min<std::int64_t>(blocks_, static_cast<std::int64_t>(times.multiprocessors) * resident_blocks)),
        result_(result) {}

  [[nodiscard]] std::int64_t wave() const { return wave_; }
  [[nodiscard]] double waves() const { return static_cast<double>(blocks_) / static_cast<double>(wave_); }

  /// Adds to the sectors of one block in the result, too.
  std::vector<Buffer> find() {
    std::vector<Buffer> buffers;
    for (const bool stored : {false, true}) {
      std::map<std::uint64_t, Buffer> by_buffer;
      const auto& touched = stored ? block_.stored : block_.loaded;
      for (const auto& l : touched) by_buffer[buffer_of(l.line)].touched.push_back(l);
      // Iterations that were passed over touch lines like those that ran.
      const double unseen = stored ? block_.unseen_stored : block_.unseen_loaded;
      const double more = touched.empty() ? 1 : 1 + unseen / static_cast<double>(touched.size());
      for (auto& [number, buffer] : by_buffer) {
        buffer.stored = stored;
        const Extent own = of_block(buffer.touched) * more;
        (stored ? result_.block_stored_sectors : result_.block_loaded_sectors) += own[sectors];
        if (number == scattered_buffer)
          measure_scattered(buffer, own);
        else
          measure_shifted(buffer, number, more);
        buffers.push_back(std::move(buffer));
      }
    }
    return buffers;
  }

 private:
  [[nodiscard]] Extent of_block(const std::vector<LineAccess>& touched) const {
    Extent own(0, 0, static_cast<double>(touched.size()));
    for (const auto& l : touched) {
      own[sectors] += std::popcount(l.sectors);
      own[granules] += granules_of(l.sectors, granule_);
    }
    return own;
  }

  void measure_scattered(Buffer& buffer, const Extent& own) const {
    const auto of = [&](double count) { return scattered(own, count, launch_, 4, granule_); };
    buffer.one_wave = of(static_cast<double>(wave_));
    buffer.two_waves = of(2 * static_cast<double>(wave_));
    buffer.all = of(static_cast<double>(blocks_));
  }

  void measure_shifted(Buffer& buffer, std::uint64_t number, double more) const {
    const std::int64_t start = std::clamp<std::int64_t>(blocks_ / 2 - wave_, 0, blocks_ - wave_);
    const auto of = [&](std::int64_t first, std::int64_t count) -> Extent {
      return distinct(buffer.touched, shifts_of(number, first, count), granule_) * more;
    };
    buffer.one_wave = of(start, wave_);
    const std::int64_t two = std::min(2 * wave_, blocks_);
    buffer.two_waves = two > wave_ ? of(std::clamp<std::int64_t>(start, 0, blocks_ - two), two) : buffer.one_wave;
    // The whole launch: as densely as one wave covers its own stretch.
    const double span = span_of(buffer, number, more);
    buffer.all = (buffer.one_wave * std::max(waves(), 1.0)).min(Extent(4 * span, 128.0 / granule_ * span, span));
    for (auto* part : {&buffer.one_wave, &buffer.two_waves}) *part = part->min(buffer.all);
  }

  /// The distinct shifts of some blocks in the order of the grid, ascending.
  [[nodiscard]] std::vector<std::int64_t> shifts_of(std::uint64_t number, std::int64_t first,
                                                    std::int64_t count) const {
    std::unordered_set<std::int64_t> distinct_shifts;
    for (std::int64_t i = 0; i < count; ++i)
      distinct_shifts.insert(result_.shift(number, base_, launch_.block_at(first + i)));
    std::vector<std::int64_t> list(distinct_shifts.begin(), distinct_shifts.end());
    std::sort(list.begin(), list.end());
    return list;
  }

  /// Lines from one end of what the launch touches to the other, by the blocks in its corners.
  [[nodiscard]] double span_of(const Buffer& buffer, std::uint64_t number, double more) const {
    std::int64_t low = 0, high = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const Dim3 at{corner & 1 ? launch_.grid[0] - 1 : 0, corner & 2 ? launch_.grid[1] - 1 : 0,
                    corner & 4 ? launch_.grid[2] - 1 : 0};
      const auto by = result_.shift(number, base_, at);
      low = corner == 0 ? by : std::min(low, by);
      high = corner == 0 ? by : std::max(high, by);
    }
    const auto own_span = static_cast<double>(buffer.touched.back().line - buffer.touched.front().line + 1);
    return own_span * more + static_cast<double>(high - low) / 128;
  }

  const Launch& launch_;
  const Dim3& base_;
  const BlockTrace& block_;
  const int granule_;
  const std::int64_t blocks_, wave_;
  LaunchFootprint& result_;
};

/// What the whole launch moves of one buffer, `fresh` by every wave after the first.
Extent moved_by_launch(const Buffer& b, const Extent& fresh, double further_waves) {
  return larger(b.all, b.one_wave + further_waves * fresh);
}

/// Caches hold lines, whatever part of them is used.
void add_memory_traffic(LaunchFootprint& result, const std::vector<Buffer>& buffers, double waves,
                        const KernelTimes& times) {
  double wave_bytes = 0;
  for (const auto& b : buffers) {
    wave_bytes += b.one_wave[lines] * 128;
    result.working_set_bytes += b.all[lines] * 128;
  }
  const double capacity = 0.8 * static_cast<double>(times.l2_bytes) / times.l2_partitions;
  result.fits_l2 = result.working_set_bytes <= capacity;
  if (result.fits_l2) return;
  // Where a wave's data fit, the next wave finds again what both use; else every wave fetches its own.
  const bool wave_fits = wave_bytes <= capacity;
  for (const auto& b : buffers) {
    const Extent fresh = wave_fits ? Extent(b.two_waves - b.one_wave) : b.one_wave;
    // What is small and used again and again stays, whatever streams past it.
    const bool stays = b.all[lines] * 128 <= capacity / 2;
    const Extent moved = moved_by_launch(b, fresh, stays ? 0 : std::max(waves - 1, 0.0));
    if (b.stored) {
      result.memory_store_bytes += moved[sectors] * 32;
    } else {
      result.memory_load_sectors += moved[sectors];
      result.memory_load_bytes += moved[granules] * times.memory_access_bytes;
    }
  }
}
}  // namespace

std::int64_t LaunchFootprint::shift(std::uint64_t buffer, const Dim3& from, const Dim3& to) const {
  for (const auto& s : shifts)
    if (s.buffer == buffer)
      return s.step[0] * (to[0] - from[0]) + s.step[1] * (to[1] - from[1]) + s.step[2] * (to[2] - from[2]);
  return 0;
}

LaunchFootprint launch_footprint(const Code& code, const Launch& launch, const Dim3& base, const BlockTrace& block,
                                 const KernelTimes& times, int resident_blocks) {
  LaunchFootprint result;
  result.shifts = find_shifts(code, launch, base);
  Extents extents(launch, base, block, times, resident_blocks, result);
  const auto buffers = extents.find();
  add_memory_traffic(result, buffers, extents.waves(), times);
  result.atomics = atomic_traffic(code, launch, base, block, result, extents.wave());
  return result;
}
}  // namespace sparsecast::gpu_code
