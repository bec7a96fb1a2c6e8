#include "kernel/footprint.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace sparsecast::kernel {
namespace {

std::uint64_t buffer_of(std::uint64_t line) { return line >> 33; }

Dim3 block_at(const Launch& launch, std::int64_t index) {
  return {index % launch.grid[0], index / launch.grid[0] % launch.grid[1], index / launch.grid[0] / launch.grid[1]};
}

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

/// Distinct 32-byte sectors of one buffer's lines under a set of shifts, up to a bound on the work, then scaled.
double distinct_sectors(const std::vector<LineAccess>& lines, const std::vector<std::int64_t>& shifts) {
  if (lines.empty() || shifts.empty()) return 0;
  constexpr std::size_t most = 300'000;
  const std::size_t used = std::clamp<std::size_t>(most / lines.size(), 1, shifts.size());
  std::unordered_map<std::uint64_t, std::uint8_t> seen;
  seen.reserve(std::min(most, lines.size() * used));
  double sectors = 0;
  for (std::size_t s = 0; s < used; ++s) {
    const std::int64_t by = shifts[s] / 32;
    for (const auto& l : lines)
      for (unsigned mask = l.sectors; mask != 0; mask &= mask - 1) {
        const auto sector =
            l.line * 4 + static_cast<std::uint64_t>(std::countr_zero(mask)) + static_cast<std::uint64_t>(by);
        auto& known = seen[sector / 4];
        const auto bit = static_cast<std::uint8_t>(1u << (sector % 4));
        sectors += !(known & bit);
        known |= bit;
      }
  }
  return sectors * static_cast<double>(shifts.size()) / static_cast<double>(used);
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
  std::map<std::uint64_t, BufferShift> shifts;
  TraceOptions options;
  options.only_warp = 0;
  options.window = 400;
  std::optional<BlockTrace> here;
  for (std::size_t d = 0; d < 3; ++d) {
    if (launch.grid[d] < 2) continue;
    if (!here) here = run_block(code, launch, base, options);
    Dim3 other = base;
    const std::int64_t direction = base[d] + 1 < launch.grid[d] ? 1 : -1;
    other[d] += direction;
    const auto there = run_block(code, launch, other, options);
    for (const auto& [buffer, by] : compare(*here, there, 0)) {
      shifts[buffer].buffer = buffer;
      shifts[buffer].step[d] = by * direction;
    }
  }
  for (const auto& [buffer, s] : shifts) result.shifts.push_back(s);

  const std::int64_t blocks = launch.blocks();
  const std::int64_t wave =
      std::min<std::int64_t>(blocks, static_cast<std::int64_t>(times.multiprocessors) * resident_blocks);
  const double waves = static_cast<double>(blocks) / static_cast<double>(wave);
  const std::int64_t start = std::clamp<std::int64_t>(blocks / 2 - wave, 0, blocks - wave);

  struct Buffer {
    std::vector<LineAccess> lines;
    bool stored = false;
    double one_wave = 0, two_waves = 0, all = 0;
  };
  std::vector<Buffer> buffers;
  for (const bool stored : {false, true}) {
    std::map<std::uint64_t, Buffer> by_buffer;
    for (const auto& l : stored ? block.stored : block.loaded) by_buffer[buffer_of(l.line)].lines.push_back(l);
    for (auto& [number, buffer] : by_buffer) {
      buffer.stored = stored;
      double sectors = 0;
      for (const auto& l : buffer.lines) sectors += std::popcount(l.sectors);
      (stored ? result.block_stored_sectors : result.block_loaded_sectors) += sectors;
      const auto shifts_of = [&](std::int64_t first, std::int64_t count) {
        std::unordered_set<std::int64_t> distinct;
        for (std::int64_t i = 0; i < count; ++i)
          distinct.insert(result.shift(number, base, block_at(launch, first + i)));
        std::vector<std::int64_t> list(distinct.begin(), distinct.end());
        std::sort(list.begin(), list.end());
        return list;
      };
      buffer.one_wave = distinct_sectors(buffer.lines, shifts_of(start, wave));
      const std::int64_t two = std::min(2 * wave, blocks);
      buffer.two_waves =
          two > wave ? distinct_sectors(buffer.lines, shifts_of(std::clamp<std::int64_t>(start, 0, blocks - two), two))
                     : buffer.one_wave;
      // The whole launch: from corner to corner, as densely as one wave covers its own stretch.
      const auto everywhere = [&] {
        std::int64_t low = 0, high = 0;
        for (int corner = 0; corner < 8; ++corner) {
          const Dim3 at{corner & 1 ? launch.grid[0] - 1 : 0, corner & 2 ? launch.grid[1] - 1 : 0,
                        corner & 4 ? launch.grid[2] - 1 : 0};
          const auto by = result.shift(number, base, at);
          low = corner == 0 ? by : std::min(low, by);
          high = corner == 0 ? by : std::max(high, by);
        }
        const double span_block = static_cast<double>(buffer.lines.back().line - buffer.lines.front().line + 1) * 4;
        return span_block + static_cast<double>(high - low) / 32;
      }();
      buffer.all = std::min(everywhere, std::max(buffer.one_wave, waves * buffer.one_wave));
      buffers.push_back(std::move(buffer));
    }
  }
  double wave_bytes = 0;
  for (const auto& b : buffers) {
    wave_bytes += b.one_wave * 32;
    result.working_set_bytes += b.all * 32;
  }
  result.fits_l2 = result.working_set_bytes <= 0.8 * static_cast<double>(times.l2_bytes);
  if (result.fits_l2) return result;
  // Where a wave's data fit, the next wave finds again what both use; else every wave fetches its own.
  const bool wave_fits = wave_bytes <= 0.8 * static_cast<double>(times.l2_bytes);
  for (const auto& b : buffers) {
    const double fresh = wave_fits ? b.two_waves - b.one_wave : b.one_wave;
    const double sectors = std::max(b.all, b.one_wave + std::max(waves - 1, 0.0) * fresh);
    (b.stored ? result.memory_store_bytes : result.memory_load_bytes) += sectors * 32;
  }
  return result;
}

}  // namespace sparsecast::kernel
