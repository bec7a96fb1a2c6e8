#include "gpu_code/trace/launch.hpp"

#include <algorithm>
#include <bit>

namespace sparsecast::gpu_code {
std::uint64_t scattered_elements(const Launch& launch) {
  // A gather of n elements is taken to read from about n: nothing else is known of it.
  const auto threads =
      static_cast<std::uint64_t>(launch.blocks()) * static_cast<std::uint64_t>(launch.threads_per_block());
  return std::bit_ceil(std::clamp<std::uint64_t>(threads, 1u << 14, 1u << 28));
}
}  // namespace sparsecast::gpu_code
