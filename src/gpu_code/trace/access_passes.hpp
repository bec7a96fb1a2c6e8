#pragma once
// Shared-memory passes and global-memory sectors of one warp's access, from the addresses of its lanes.

#include <cstdint>
#include <span>
#include <vector>

#include "gpu_code/trace/code.hpp"

namespace sparsecast::gpu_code {
/// A global access in units of the cache: a 128-byte line and which of its four 32-byte sectors.
struct LineAccess {
  std::uint64_t line = 0;
  std::uint8_t sectors = 0;
  std::uint8_t same_address = 1;  ///< of an atomic operation: most lanes that name one address of this line
};

/// Passes that a shared-memory access takes: 32 banks of 4 bytes, equal words are broadcast; 8-byte accesses go by half
/// warps and 16-byte ones by quarters, unless neighbours read the same (Nsight Compute's "ideal" passes).
[[nodiscard]] int shared_wavefronts(const MemoryAccess& access);
/// Passes that a global load takes in the first-level cache, whose banks are those of shared memory; a line is one at
/// least, and nothing is packed.
[[nodiscard]] int cache_passes(const MemoryAccess& access, std::uint32_t lines);
/// Words that a constant access names: its passes.
[[nodiscard]] int distinct_words(const MemoryAccess& access);
/// Most lanes that name one address: atomic operations on it follow each other.
[[nodiscard]] int same_address(const MemoryAccess& access);

/// Of an atomic operation: how many lanes name one address, for each of the lines that it touches.
void count_same_addresses(const MemoryAccess& access, std::span<LineAccess> lines);

/// Takes part of the block: which lines and sectors a global access touches, ascending.
void touched_lines(const MemoryAccess& access, std::vector<LineAccess>& out);
}  // namespace sparsecast::gpu_code
