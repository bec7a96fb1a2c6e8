#pragma once
// What both kinds of code compute alike.

#include "gpu_code/trace/code.hpp"

namespace sparsecast::gpu_code {
/// 105615 as a float: from there on sinf, cosf, tanf and sincosf of CUDA's library reduce their argument by many digits
/// of π (Payne and Hanek), on a path of their own. An argument that is not known is taken to be smaller.
inline constexpr std::uint32_t large_angle = 0x47ce4780u;
inline constexpr std::uint64_t ordinary_float = 0x3f800000u;  ///< 1: an argument that is taken to be ordinary

[[nodiscard]] inline std::int64_t sign_extend(std::uint64_t value, int bits) {
  const int shift = 64 - bits;
  return static_cast<std::int64_t>(value << shift) >> shift;
}
/// Four bytes out of the eight of {b, a}, each by four bits of the selector; its highest bit spreads the byte's sign.
[[nodiscard]] std::uint64_t permuted_bytes(std::uint64_t a, std::uint64_t b, std::uint64_t selector);
/// Bit by bit, what the table of eight says of the three.
[[nodiscard]] std::uint64_t logic_by_table(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t table);
[[nodiscard]] std::uint64_t reversed_bits(std::uint64_t value, int bits);
/// Where local memory lies: interleaved by thread, so that a warp's access to one variable is one line.
[[nodiscard]] Lanes local_addresses(const WarpState& warp, const Lanes& where);
}  // namespace sparsecast::gpu_code
