#include "gpu_code/trace/atomic_lines.hpp"

#include <algorithm>
#include <map>

#include "gpu_code/trace/launch.hpp"

namespace sparsecast::gpu_code {
namespace {
/// Calls f(instruction, access) for every atomic operation of the trace.
template <class F>
void each_atomic(const BlockTrace& trace, F&& f) {
  for (const auto& steps : trace.warps)
    for (const auto& step : steps) {
      if (step.instruction < 0 || step.detail < 0) continue;
      const auto& access = trace.accesses[static_cast<std::size_t>(step.detail)];
      if (access.atomic) f(static_cast<std::size_t>(step.instruction), access);
    }
}

void add(const BlockTrace& trace, const AccessRecord& access, double times, std::map<std::uint64_t, double>& passes,
         AtomicLines& sum) {
  if (access.space == MemorySpace::shared) {
    sum.shared_unknown_passes += times * access.unknown_lanes;
    return;
  }
  if (access.space != MemorySpace::global) return;
  sum.scattered_operations += times * access.unknown_lanes;
  for (std::uint32_t i = access.first_line; i < access.first_line + access.lines; ++i) {
    const auto& line = trace.line_pool[i];
    if (line.line >> 33 == scattered_buffer) continue;
    passes[line.line] += times * line.same_address;
    if (line.same_address > 1) sum.warp_on_one_address += times * line.same_address;
  }
}
}  // namespace

double AtomicLines::hottest() const {
  return lines.empty() ? 0 : std::ranges::max(lines, {}, &AtomicLine::passes).passes;
}

AtomicLines atomic_lines(const BlockTrace& trace) {
  std::map<std::size_t, double> kept;
  each_atomic(trace, [&](std::size_t instruction, const AccessRecord&) { ++kept[instruction]; });
  AtomicLines sum;
  if (kept.empty()) return sum;
  std::map<std::uint64_t, double> passes;
  each_atomic(trace, [&](std::size_t instruction, const AccessRecord& access) {
    add(trace, access, static_cast<double>(trace.executed[instruction]) / kept[instruction], passes, sum);
  });
  for (const auto& [line, count] : passes) {
    sum.lines.push_back({line, count});
    sum.passes += count;
  }
  return sum;
}
}  // namespace sparsecast::gpu_code
