#pragma once
// Numbers of two bytes: IEEE 754's binary16 ("half") and bfloat16, the upper half of a float.

#include <bit>
#include <sparsecast/precision.hpp>

namespace sparsecast::base {
/// Exponents of half are 112 less than those of float.
inline constexpr float half_unit = 0x1p112F;

[[nodiscard]] constexpr float half_value(std::uint16_t half) {
  const float size = std::bit_cast<float>((half & 0x7fffU) << 13U) * half_unit;
  const auto bits = size < 65536.0F ? std::bit_cast<std::uint32_t>(size) : 0x7f800000U;
  return std::bit_cast<float>(bits | (half & 0x8000U) << 16U);
}
/// Of a number that half holds.
[[nodiscard]] constexpr std::uint16_t half_bits(float value) {
  const auto sign = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U & 0x8000U);
  const float size = value < 0 ? -value : value;
  if (size >= 65536.0F) return sign | 0x7c00U;
  return sign | static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(size / half_unit) >> 13U & 0x7fffU);
}
[[nodiscard]] constexpr float bfloat16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}
[[nodiscard]] constexpr std::uint16_t bfloat16_bits(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
}

/// Whether the type holds the number bit for bit; half no NaN. `given` holds all.
[[nodiscard]] constexpr bool holds(ValueStorage type, double value) {
  if (type == ValueStorage::given) return true;
  // Numbers that are normal in the type: whether the digits that it has not are zero.
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool half = type == ValueStorage::half;
  if ((bits >> 52U & 0x7ffU) - (half ? 1009 : 897) < (half ? 30U : 254U))
    return (bits & (half ? 0x3ffffffffffU : type == ValueStorage::bfloat16 ? 0x1fffffffffffU : 0x1fffffffU)) == 0;
  const auto single = static_cast<float>(value);
  if (std::bit_cast<std::uint64_t>(static_cast<double>(single)) != bits) return false;
  if (half) return std::bit_cast<std::uint32_t>(half_value(half_bits(single))) == std::bit_cast<std::uint32_t>(single);
  return type == ValueStorage::single_ || (std::bit_cast<std::uint32_t>(single) & 0xffffU) == 0;
}
/// The nearest number of the type, of two the even one; infinite beyond its range.
[[nodiscard]] double rounded(ValueStorage type, double value);
}  // namespace sparsecast::base
