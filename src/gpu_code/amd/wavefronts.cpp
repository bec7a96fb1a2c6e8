// See wavefronts.hpp.

#include "gpu_code/amd/wavefronts.hpp"

#include <algorithm>

namespace sparsecast::gpu_code {
namespace {

/// Both halves' record: passes follow each other, lines are joined.
AccessRecord joined(const BlockTrace& from, const AccessRecord& first, const AccessRecord& second,
                    std::vector<LineAccess>& pool) {
  AccessRecord r = first;
  r.lanes = static_cast<std::uint8_t>(first.lanes + second.lanes);
  r.wavefronts = static_cast<std::uint16_t>(std::min(first.wavefronts + second.wavefronts, 65535));
  std::vector<LineAccess> lines(from.line_pool.begin() + first.first_line,
                                from.line_pool.begin() + first.first_line + first.lines);
  lines.insert(lines.end(), from.line_pool.begin() + second.first_line,
               from.line_pool.begin() + second.first_line + second.lines);
  std::ranges::sort(lines, {}, &LineAccess::line);
  r.first_line = static_cast<std::uint32_t>(pool.size());
  for (const auto& l : lines) {
    if (pool.size() > r.first_line && pool.back().line == l.line)
      pool.back().sectors |= l.sectors;
    else
      pool.push_back(l);
  }
  r.lines = static_cast<std::uint32_t>(pool.size()) - r.first_line;
  return r;
}

}  // namespace

BlockTrace wavefront_trace(const BlockTrace& warps) {
  BlockTrace waves = warps;
  waves.warps.clear();
  for (std::size_t w = 0; w < warps.warps.size(); w += 2) {
    // The half with more steps leads: the other's lanes are switched off where it has none.
    const bool pair = w + 1 < warps.warps.size();
    const bool second_leads = pair && warps.warps[w + 1].size() > warps.warps[w].size();
    auto steps = warps.warps[second_leads ? w + 1 : w];
    if (pair) {
      const auto& other = warps.warps[second_leads ? w : w + 1];
      for (std::size_t i = 0; i < std::min(steps.size(), other.size()); ++i) {
        if (steps[i].instruction != other[i].instruction) break;
        if (steps[i].instruction < 0 || steps[i].detail < 0 || other[i].detail < 0) continue;
        waves.accesses.push_back(joined(warps, warps.accesses[static_cast<std::size_t>(steps[i].detail)],
                                        warps.accesses[static_cast<std::size_t>(other[i].detail)], waves.line_pool));
        steps[i].detail = static_cast<std::int32_t>(waves.accesses.size()) - 1;
      }
    }
    waves.warps.push_back(std::move(steps));
  }
  for (auto& e : waves.executed) e = (e + 1) / 2;
  return waves;
}

}  // namespace sparsecast::gpu_code
