#pragma once
// Numbers out of text that is known to be readable at least 64 bytes beyond its end: the innermost loop of the Matrix
// Market reader. Each function returns where the number ends, or nullptr where the fast way does not apply; the caller
// then takes the careful way (number_field.hpp), which also knows what to say.

#include <fast_float/fast_float.h>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace sparsecast::matrix {
/// Bytes beyond the end of a text that the scanners may read (never use).
inline constexpr std::size_t readable_beyond = 64;

static_assert(std::endian::native == std::endian::little, "digits are gathered from the low byte up");

inline std::uint64_t load_eight(const char* text) {
  std::uint64_t word;
  std::memcpy(&word, text, sizeof word);
  return word;
}

/// The number of leading decimal digits among eight bytes that had '0' subtracted by exclusive or. A byte is no digit
/// where adding 0x76 reaches its top bit; a carry only leaves bytes that are no digits, so the lowest mark is right.
inline unsigned leading_digits(std::uint64_t word) {
  const std::uint64_t marks = ((word + 0x7676767676767676U) | word) & 0x8080808080808080U;
  return static_cast<unsigned>(std::countr_zero(marks)) >> 3;  // 64 >> 3 where all eight are digits
}

/// The value of eight digits, most significant in the low byte: neighbours are joined in three multiplications.
inline std::uint64_t value_of_eight(std::uint64_t word) {
  word = (word & 0x0F0F0F0F0F0F0F0FU) * 2561 >> 8;
  word = (word & 0x00FF00FF00FF00FFU) * 6553601 >> 16;
  return (word & 0x0000FFFF0000FFFFU) * 42949672960001U >> 32;
}

/// An unsigned integer of one to sixteen digits.
inline const char* scan_unsigned(const char* text, std::uint64_t& value) {
  std::uint64_t word = load_eight(text) ^ 0x3030303030303030U;
  const unsigned digits = leading_digits(word);
  if (digits == 0) return nullptr;
  value = value_of_eight(word << (64 - 8 * digits));
  if (digits < 8) return text + digits;
  word = load_eight(text + 8) ^ 0x3030303030303030U;
  const unsigned more = leading_digits(word);
  if (more == 0) return text + 8;
  if (more == 8) return nullptr;
  static constexpr std::uint64_t scale[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
  value = value * scale[more] + value_of_eight(word << (64 - 8 * more));
  return text + 8 + more;
}

/// A finite real number as C writes it, without leading '+'.
inline const char* scan_real(const char* text, const char* end, double& value) {
  const auto [rest, error] = fast_float::from_chars(text, end, value);
  if (error != std::errc() || !std::isfinite(value)) return nullptr;
  return rest;
}
}  // namespace sparsecast::matrix
