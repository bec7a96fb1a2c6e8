#pragma once
// Integers of machine code: sums, products, shifts, logic, bits. Each function takes the values
// of its operands and writes registers and predicates; the table in sass_operations.cpp says which operation it belongs
// to.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "gpu_code/sass/sass_step.hpp"
#include "gpu_code/trace/common_operations.hpp"

namespace sparsecast::gpu_code::sass {
using Totals = std::array<std::uint64_t, 32>;

inline std::uint64_t smaller_or_larger(std::uint64_t a, std::uint64_t b, bool is_signed, bool smaller) {
  return low32((integer(a, is_signed) < integer(b, is_signed)) == smaller ? a : b);
}

/// a · b + c in 64 bits; c's upper half stands in the register behind it.
inline Totals wide_totals(const SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& c_high) {
  const bool is_signed = s.flag(73);
  const bool immediate = s.word.form() == 2;
  Totals totals;
  for (std::size_t l = 0; l < 32; ++l) {
    const auto p =
        static_cast<std::uint64_t>(integer(a[l], is_signed)) * static_cast<std::uint64_t>(integer(b[l], is_signed));
    totals[l] = p + (immediate ? static_cast<std::uint64_t>(sign_extend(c[l], 32)) : (low32(c[l]) | (c_high[l] << 32)));
  }
  return totals;
}

/// 32 bits of the pair {c, a} shifted left.
inline std::uint64_t shifted_left(std::uint64_t a, std::uint64_t c, std::uint64_t by, bool of_32_bits, bool high) {
  if (of_32_bits && !high) return by >= 32 ? 0 : low32(a << by);
  const std::uint64_t v = by >= 64 ? 0 : (low32(a) | (c << 32)) << by;
  return high ? low32(v >> 32) : low32(v);
}

/// The same to the right; `type`: 0 S64, 1 U64, 2 S32, 3 U32.
inline std::uint64_t shifted_right(std::uint64_t a, std::uint64_t c, std::uint64_t by, std::uint32_t type, bool high) {
  if (high) {
    if (type == 2 || type == 0)
      return low32(static_cast<std::uint64_t>(sign_extend(c, 32) >> std::min<std::uint64_t>(by, 31)));
    return by >= 32 ? 0 : low32(c) >> by;
  }
  const std::uint64_t both = low32(a) | (c << 32);
  if (type == 0)
    return low32(static_cast<std::uint64_t>(static_cast<std::int64_t>(both) >> std::min<std::uint64_t>(by, 63)));
  return by >= 64 ? 0 : low32(both >> by);
}

inline void add_two(SassStep& s, const Lanes& a, const Lanes& b) {
  const bool na = s.flag(72), nb = s.word.form() != 4 && s.flag(63);
  s.write(s.result(), [&](std::size_t l) { return low32((na ? 0 - a[l] : a[l]) + (nb ? 0 - b[l] : b[l])); });
}

inline void add_three(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c) {
  const bool extended = s.flag(74);
  const bool na = s.flag(72), nb = s.word.form() != 4 && s.flag(63), nc = s.flag(75);
  std::array<bool, 32> carry{}, carry2{};
  if (extended) {
    carry = s.test(87, 90);
    carry2 = s.test(77, 80);
  }
  const auto term = [&](std::uint64_t v, bool minus) -> std::uint64_t { return low32(minus ? ~v : v); };
  Totals totals;
  for (std::size_t l = 0; l < 32; ++l) {
    std::uint64_t t = term(a[l], na) + term(b[l], nb) + term(c[l], nc);
    // −x is ~x + 1 in a plain sum; in an extended one the 1 comes in as the carry.
    if (!extended) t += static_cast<std::uint64_t>(na) + nb + nc;
    totals[l] = t + carry[l] + carry2[l];
  }
  s.write(s.result(), [&](std::size_t l) { return low32(totals[l]); });
  s.write_predicate(81, [&](std::size_t l) { return (totals[l] >> 32) != 0; });
  s.write_predicate(84, [&](std::size_t l) { return (totals[l] >> 32) > 1; });
}

inline void multiply_add(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c) {
  std::array<bool, 32> carry{};
  if (s.flag(74)) carry = s.test(87, 90);
  const bool nb = s.word.form() == 1 && s.flag(63), nc = s.flag(75) || (s.word.form() == 3 && s.flag(63));
  s.write(s.result(), [&](std::size_t l) {
    const std::uint64_t p = a[l] * b[l];
    return low32((nb ? 0 - p : p) + (nc ? 0 - c[l] : c[l]) + carry[l]);
  });
}

inline void multiply_add_wide(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c) {
  const auto high = s.c_high();
  const auto totals = wide_totals(s, a, b, c, high);
  s.write(s.result(), [&](std::size_t l) { return low32(totals[l]); });
  s.write(SassStep::next(s.result()), [&](std::size_t l) { return totals[l] >> 32; });
  s.write_predicate(81, [&](std::size_t l) { return totals[l] < (low32(c[l]) | (high[l] << 32)); });
}

inline void multiply_add_high(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c) {
  const auto totals = wide_totals(s, a, b, c, s.c_high());
  s.write(s.result(), [&](std::size_t l) { return totals[l] >> 32; });
}

inline void shift_and_add(SassStep& s, const Lanes& a, const Lanes& b) {
  const auto shift = s.word.bits(75, 5);
  const bool high = s.flag(80), extended = s.flag(74), sign = s.flag(73), na = s.flag(72),
             nb = s.word.form() != 4 && s.flag(63);
  Lanes c{};
  if (high && !sign) c = s.value(s.reg(64));
  std::array<bool, 32> carry{};
  if (extended) carry = s.test(87, 90);
  Totals totals;
  for (std::size_t l = 0; l < 32; ++l) {
    std::uint64_t x =
        low32(a[l]) | (sign ? static_cast<std::uint64_t>(sign_extend(a[l], 32)) & 0xffffffff00000000u : c[l] << 32);
    if (na) x = 0 - x;
    const std::uint64_t y = nb ? low32(extended ? ~b[l] : 0 - b[l]) : low32(b[l]);
    const std::uint64_t term = high ? (shift == 0 ? x >> 32 : low32((x << shift) >> 32)) : low32(x << shift);
    totals[l] = low32(term) + y + carry[l];
  }
  s.write(s.result(), [&](std::size_t l) { return low32(totals[l]); });
  s.write_predicate(81, [&](std::size_t l) { return (totals[l] >> 32) != 0; });
}

inline void logic_of_three(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c) {
  const auto table = s.word.bits(72, 8);
  Totals r;
  for (std::size_t l = 0; l < 32; ++l) r[l] = logic_by_table(a[l], b[l], c[l], table);
  s.write(s.result(), [&](std::size_t l) { return r[l]; });
  s.write_predicate(81, [&](std::size_t l) { return r[l] != 0; });
}

inline void funnel_shift(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c) {
  const bool right = s.flag(76), high = s.flag(80), wraps = s.flag(75);
  const auto type = s.word.bits(73, 2);
  const std::uint64_t limit = type >= 2 ? 32 : 64;
  s.write(s.result(), [&](std::size_t l) -> std::uint64_t {
    const std::uint64_t by = wraps ? low32(b[l]) % limit : std::min<std::uint64_t>(low32(b[l]), limit);
    return right ? shifted_right(a[l], c[l], by, type, high) : shifted_left(a[l], c[l], by, type >= 2, high);
  });
}

inline void permute_bytes(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c) {
  s.write(s.result(), [&](std::size_t l) { return permuted_bytes(a[l], c[l], b[l]); });
}

inline void reverse_bits(SassStep& s, const Lanes& b) {
  s.write(s.result(), [&](std::size_t l) { return reversed_bits(low32(b[l]), 32); });
}

// Place of the highest bit that is set (of a negative signed number: not set), all ones for none.
inline void highest_bit(SassStep& s, const Lanes& b) {
  const bool is_signed = s.flag(73), from_top = s.flag(74);
  s.write(s.result(), [&](std::size_t l) -> std::uint64_t {
    auto v = low32(b[l]);
    if (is_signed && (v >> 31) != 0) v = ~v;
    if (v == 0) return 0xffffffffu;
    const int zeros = std::countl_zero(v);
    return static_cast<std::uint64_t>(from_top ? zeros : 31 - zeros);
  });
}

inline void count_bits(SassStep& s, const Lanes& b) {
  s.write(s.result(), [&](std::size_t l) { return static_cast<std::uint64_t>(std::popcount(low32(b[l]))); });
}

inline void absolute(SassStep& s, const Lanes& b) {
  s.write(s.result(),
          [&](std::size_t l) { return low32(static_cast<std::uint64_t>(std::abs(sign_extend(b[l], 32)))); });
}

inline void absolute_difference(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c) {
  const bool is_signed = s.flag(73);
  s.write(s.result(), [&](std::size_t l) {
    return low32(static_cast<std::uint64_t>(std::abs(integer(a[l], is_signed) - integer(b[l], is_signed))) + c[l]);
  });
}

inline void smaller_or_larger_integer(SassStep& s, const Lanes& a, const Lanes& b) {
  const auto p = s.test(87, 90);
  const bool is_signed = s.flag(73);
  s.write(s.result(), [&](std::size_t l) { return smaller_or_larger(a[l], b[l], is_signed, p[l]); });
}

// Compute capability 9.0: the sum of two against a third, never below 0 where it says so.
inline void smaller_or_larger_sum(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c) {
  const auto p = s.test(87, 90);
  const bool is_signed = s.flag(72), not_negative = s.flag(76), nb = s.word.form() == 1 && s.flag(63);
  s.write(s.result(), [&](std::size_t l) {
    const auto v = smaller_or_larger(low32(a[l] + (nb ? 0 - b[l] : b[l])), c[l], is_signed, p[l]);
    return not_negative && sign_extend(v, 32) < 0 ? 0 : v;
  });
}

inline void smallest_or_largest_of_three(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c) {
  const auto p = s.test(87, 90);
  const bool is_signed = s.flag(72);
  s.write(s.result(), [&](std::size_t l) {
    return smaller_or_larger(smaller_or_larger(a[l], b[l], is_signed, p[l]), c[l], is_signed, p[l]);
  });
}
}  // namespace sparsecast::gpu_code::sass
