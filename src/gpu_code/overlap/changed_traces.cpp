#include "gpu_code/overlap/changed_traces.hpp"

#include <algorithm>

namespace sparsecast::gpu_code {
namespace {
constexpr std::uint32_t line_bytes = 128;

std::uint32_t fewest_lines(const AccessRecord& r) {
  return std::max<std::uint32_t>(1, (std::uint32_t{r.lanes} * r.bytes + line_bytes - 1) / line_bytes);
}
}  // namespace

BlockTrace without_bank_conflicts(const BlockTrace& trace) {
  BlockTrace other = trace;
  for (auto& r : other.accesses)
    if (r.space == MemorySpace::shared && !r.atomic)
      r.wavefronts = static_cast<std::uint16_t>(std::min<std::uint32_t>(r.wavefronts, fewest_lines(r)));
  return other;
}

BlockTrace coalesced(const BlockTrace& trace) {
  BlockTrace other = trace;
  for (auto& r : other.accesses) {
    const auto fewest = fewest_lines(r);
    if (r.space != MemorySpace::global || r.lines <= fewest) continue;
    for (std::uint32_t i = 0; i < fewest; ++i) other.line_pool[r.first_line + i].sectors = 0xf;
    r.lines = fewest;
    r.wavefronts = static_cast<std::uint16_t>(std::min<std::uint32_t>(r.wavefronts, fewest));
  }
  return other;
}

BlockTrace without_local_memory(const BlockTrace& trace) {
  BlockTrace other = trace;
  for (auto& warp : other.warps)
    for (auto& step : warp)
      if (step.instruction >= 0 && step.detail >= 0 &&
          trace.accesses[static_cast<std::size_t>(step.detail)].space == MemorySpace::local)
        step.detail = -1;
  return other;
}
}  // namespace sparsecast::gpu_code
