#pragma once
// What both kinds of code compute alike.

#include "gpu_code/trace/code.hpp"

namespace sparsecast::gpu_code {
/// 105615 as a float, 2³¹ as a double: from there on sin, cos, tan and sincos of CUDA's library reduce their argument
/// by many digits of π (Payne and Hanek), on a path of their own.
inline constexpr std::uint32_t large_angle = 0x47ce4780u;
inline constexpr std::uint64_t large_double_angle = 0x41e0000000000000u;
/// 1: what is taken for an argument that is not known, where it is compared with a bound of ordinary ones.
inline constexpr std::uint64_t ordinary_float = 0x3f800000u, ordinary_double = 0x3ff0000000000000u;

/// Large angles, and the infinities: functions of the library have a path of their own for those, too.
[[nodiscard]] constexpr bool bounds_ordinary_floats(std::uint32_t bits) {
  return bits == large_angle || (bits & 0x7fffffffu) == 0x7f800000u;
}
[[nodiscard]] constexpr bool bounds_ordinary_doubles(std::uint64_t bits) {
  return bits == large_double_angle || (bits & 0x7fffffffffffffffu) == 0x7ff0000000000000u;
}

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
