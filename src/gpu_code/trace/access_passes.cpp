#include "gpu_code/trace/access_passes.hpp"

#include <algorithm>
#include <array>

namespace sparsecast::gpu_code {
namespace {
/// Most distinct words that any bank must deliver for these lanes.
int bank_passes(const MemoryAccess& access, LaneMask lanes) {
  // Mostly a bank is asked for one word: further ones go to a list.
  std::array<std::uint32_t, 32> first;
  LaneMask asked = 0;
  std::array<std::array<std::uint32_t, 31>, 32> further;
  std::array<std::uint8_t, 32> count;
  int most = lanes != 0 ? 1 : 0;
  LaneMask conflicts = 0;
  const std::uint32_t words_per_lane = std::max<std::uint32_t>(1, access.bytes / 4);
  for (const std::size_t lane : LanesOf{lanes}) {
    const auto begin = static_cast<std::uint32_t>(access.address[lane] / 4);
    for (std::uint32_t word = begin; word != begin + words_per_lane; ++word) {
      const std::size_t bank = word % 32;
      const LaneMask bit = LaneMask{1} << bank;
      if ((asked & bit) == 0) {
        asked |= bit;
        first[bank] = word;
        continue;
      }
      if (first[bank] == word) continue;
      if ((conflicts & bit) == 0) {
        conflicts |= bit;
        count[bank] = 0;
      }
      auto& others = further[bank];
      const auto end = others.begin() + count[bank];
      if (count[bank] == others.size() || std::find(others.begin(), end, word) != end) continue;
      others[count[bank]++] = word;
      most = std::max(most, 1 + count[bank]);
    }
  }
  return most;
}

/// True where every lane reads what its neighbour at distance `step` (1 or 2) reads.
bool neighbours_equal(const MemoryAccess& access, std::size_t step) {
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const auto other = lane ^ step;
    if (((access.lanes >> lane) & 1) && ((access.lanes >> other) & 1) && access.address[lane] != access.address[other])
      return false;
  }
  return true;
}

/// Passes by groups of lanes: all of them, halves for 8 bytes a lane, quarters for 16; `packed` where a group may be
/// twice as large because lanes are equal in pairs.
int group_passes(const MemoryAccess& access, bool packed) {
  const LaneMask lanes = access.lanes & access.known;
  int group = access.bytes <= 4 ? 32 : access.bytes == 8 ? 16 : 8;
  if (packed && group < 32) group *= 2;
  int passes = 0;
  for (int first = 0; first < 32; first += group) {
    const LaneMask part = group == 32 ? lanes : lanes & (((LaneMask{1} << group) - 1) << first);
    if (part != 0) passes += bank_passes(access, part);
  }
  return std::max(passes, 1);
}
}  // namespace

// Lanes that are equal in pairs, (n, n ^ 1) or (n, n ^ 2), are served once and their registers come back packed: 2
// requests for 128 bits instead of 4 (compute capability 7.0 to 7.5: a profiler engineer's answer at
// https://forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228; taken to hold for 8.x and 9.0).
int shared_wavefronts(const MemoryAccess& access) {
  return group_passes(access, neighbours_equal(access, 1) || neighbours_equal(access, 2));
}

int cache_passes(const MemoryAccess& access, std::uint32_t lines) {
  return std::max(group_passes(access, false), static_cast<int>(lines));
}

int distinct_words(const MemoryAccess& access) {
  std::array<std::uint64_t, 32> seen{};
  int count = 0;
  for (const std::size_t lane : LanesOf{access.lanes & access.known}) {
    const auto word = access.address[lane] / 4;
    const auto end = seen.begin() + count;
    if (std::find(seen.begin(), end, word) == end) seen[static_cast<std::size_t>(count++)] = word;
  }
  return std::max(count, 1);
}

int same_address(const MemoryAccess& access) {
  int most = 1;
  for (std::size_t i = 0; i < 32; ++i) {
    int same = 0;
    for (std::size_t j = 0; j < 32; ++j)
      same += ((access.lanes & access.known) >> j & 1) && access.address[j] == access.address[i];
    most = std::max(most, same);
  }
  return most;
}

void count_same_addresses(const MemoryAccess& access, std::span<LineAccess> lines) {
  for (const std::size_t lane : LanesOf{access.lanes & access.known}) {
    int same = 0;
    for (const std::size_t other : LanesOf{access.lanes & access.known})
      same += access.address[other] == access.address[lane];
    const auto line = std::ranges::find(lines, access.address[lane] / 128, &LineAccess::line);
    if (line != lines.end()) line->same_address = std::max(line->same_address, static_cast<std::uint8_t>(same));
  }
}

void touched_lines(const MemoryAccess& access, std::vector<LineAccess>& out) {
  const auto begin = out.size();
  const auto touch = [&](std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t sector = address / 32; sector <= (address + bytes - 1) / 32; ++sector) {
      const std::uint64_t line = sector / 4;
      const auto bit = static_cast<std::uint8_t>(1u << (sector % 4));
      bool found = false;
      for (std::size_t i = out.size(); i > begin && !found; --i)
        if (out[i - 1].line == line) {
          out[i - 1].sectors |= bit;
          found = true;
        }
      if (!found) out.push_back({line, bit});
    }
  };
  for (const std::size_t lane : LanesOf{access.lanes & access.known}) touch(access.address[lane], access.bytes);
}
}  // namespace sparsecast::gpu_code
