#pragma once
// How a kernel is launched: its grid and blocks, its arguments, and where addresses lie that the code does not say.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sparsecast::gpu_code {
using Dim3 = std::array<std::int64_t, 3>;

/// Where an address lies when the code does not say: windows of the generic address space.
inline constexpr std::uint64_t shared_window = std::uint64_t{1} << 60, local_window = std::uint64_t{1} << 61,
                               constant_window = std::uint64_t{1} << 59;
/// A buffer that is not given is aligned and lies alone: parameter p starts at (p + 1) · buffer_stride.
inline constexpr std::uint64_t buffer_stride = std::uint64_t{1} << 40;
/// Buffer (address / buffer_stride) of accesses whose address depends on memory of unknown content, and its elements.
inline constexpr std::uint64_t scattered_buffer = 200;
/// Buffer of local memory, and how far apart the local memories of two blocks lie (32 warps of 16 MiB).
inline constexpr std::uint64_t local_buffer = 180;
inline constexpr std::int64_t local_block_bytes = std::int64_t{1} << 29;
[[nodiscard]] std::uint64_t scattered_elements(const struct Launch& launch);

/// How a kernel is launched. Values are given by the parameter's name or position.
struct Launch {
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::map<std::string, std::string> arguments;              ///< --arg NAME=VALUE
  std::map<std::string, std::vector<std::uint8_t>> buffers;  ///< --buffer NAME=FILE, its bytes
  std::map<std::string, std::vector<std::int64_t>>
      trips;                                 ///< --trip LABEL=COUNT; several values are dealt out to threads
  std::vector<std::string> parameter_names;  ///< from the source, in order; empty where not known
  std::int64_t dynamic_shared_bytes = 0;
  std::optional<std::int64_t>
      longest_block;  ///< number of the block that has most to do, where data decide and are given
  /// A branch on unknown data: lanes take both sides, one after the other; else all take one, by `sides`.
  bool lanes_diverge = true;
  std::map<std::int32_t, bool> sides;  ///< by the branch's instruction: is it taken? The others fall through
  [[nodiscard]] std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  [[nodiscard]] std::int64_t threads_per_block() const { return block[0] * block[1] * block[2]; }
  [[nodiscard]] std::int64_t warps_per_block() const { return (threads_per_block() + 31) / 32; }
  /// A block's number in the order of the grid, and the block of a number.
  [[nodiscard]] std::int64_t number_of(const Dim3& b) const { return b[0] + grid[0] * (b[1] + grid[1] * b[2]); }
  [[nodiscard]] Dim3 block_at(std::int64_t number) const {
    return {number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]};
  }
};
}  // namespace sparsecast::gpu_code
