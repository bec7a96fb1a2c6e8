#include "gpu_code/trace/common_operations.hpp"

#include <cstddef>

namespace sparsecast::gpu_code {
std::uint64_t permuted_bytes(std::uint64_t a, std::uint64_t b, std::uint64_t selector) {
  const std::uint64_t both = (a & 0xffffffffu) | (b << 32);
  std::uint64_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const auto s = (selector >> (4 * i)) & 15;
    std::uint64_t byte = (both >> (8 * (s & 7))) & 255;
    if (s & 8) byte = (byte & 128) ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

std::uint64_t logic_by_table(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t table) {
  std::uint64_t r = 0;
  for (int i = 0; i < 8; ++i)
    if ((table >> i) & 1) r |= ((i & 4) ? a : ~a) & ((i & 2) ? b : ~b) & ((i & 1) ? c : ~c);
  return r & 0xffffffffu;
}

std::uint64_t reversed_bits(std::uint64_t value, int bits) {
  std::uint64_t r = 0;
  for (int i = 0; i < bits; ++i) r |= ((value >> i) & 1) << (bits - 1 - i);
  return r;
}

Lanes local_addresses(const WarpState& warp, const Lanes& where) {
  Lanes address;
  for (std::size_t lane = 0; lane < 32; ++lane)
    address[lane] = (local_buffer << 40) + static_cast<std::uint64_t>(warp.warp) * 0x1000000 +
                    (where[lane] / 4 & 0xffff) * 128 + lane * 4 + where[lane] % 4;
  return address;
}
}  // namespace sparsecast::gpu_code
