#pragma once
// What machine code computes with numbers and predicates. Each function takes the values of its operands and writes
// registers and predicates; the table in sass_operations.cpp, to which they are private, says which operation it
// belongs to.

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gpu_code/sass/sass_step.hpp"

namespace sparsecast::gpu_code::sass {
// Single-precision floats as far as they reach an address, conversions included.

inline float as_float(std::uint64_t bits, bool minus, bool absolute) {
  float f = std::bit_cast<float>(low32(bits));
  if (absolute) f = std::fabs(f);
  return minus ? -f : f;
}
inline std::int64_t integer(std::uint64_t v, bool is_signed) { return is_signed ? sign_extend(v, 32) : low32(v); }
inline std::uint64_t float_bits(float f) { return std::bit_cast<std::uint32_t>(f); }

/// Of FADD and FMUL: signs and absolute values of both operands, then `combine`.
template <class F>
inline void combine_floats(SassStep& s, const Lanes& a, const Lanes& b, F&& combine) {
  const bool nb = (s.word.form() == 1 || s.word.form() == 5) && s.flag(63), ab = s.word.form() == 1 && s.flag(62);
  s.write(s.result(), [&](std::size_t l) {
    return float_bits(combine(as_float(a[l], s.flag(72), s.flag(73)), as_float(b[l], nb, ab)));
  });
}

inline double rounded(double v, std::uint32_t rounding) {
  return rounding == 0   ? std::nearbyint(v)
         : rounding == 1 ? std::floor(v)
         : rounding == 2 ? std::ceil(v)
                         : std::trunc(v);
}

inline void add_floats(SassStep& s, const Lanes& a, const Lanes& b) {
  combine_floats(s, a, b, [](float x, float y) { return x + y; });
}

inline void multiply_floats(SassStep& s, const Lanes& a, const Lanes& b) {
  combine_floats(s, a, b, [](float x, float y) { return x * y; });
}

inline void multiply_add_floats(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c) {
  const bool nb = (s.word.form() == 1 || s.word.form() == 5) && s.flag(63),
             nc = s.flag(75) || (s.word.form() == 3 && s.flag(63));
  s.write(s.result(), [&](std::size_t l) {
    return float_bits(
        std::fmaf(as_float(a[l], s.flag(72), false), as_float(b[l], nb, false), as_float(c[l], nc, false)));
  });
}

inline void smaller_or_larger_float(SassStep& s, const Lanes& a, const Lanes& b) {
  const auto p = s.test(87, 90);
  const bool nb = s.word.form() == 1 && s.flag(63), ab = s.word.form() == 1 && s.flag(62);
  s.write(s.result(), [&](std::size_t l) {
    const float x = as_float(a[l], s.flag(72), s.flag(73)), y = as_float(b[l], nb, ab);
    return float_bits(p[l] ? std::fmin(x, y) : std::fmax(x, y));
  });
}

// Only the reciprocal, which integer division is made of; its last bit does not decide the quotient.
inline void reciprocal(SassStep& s, const Lanes& b) {
  if (s.word.bits(74, 4) != 4) s.known = 0;
  s.write(s.result(), [&](std::size_t l) { return float_bits(1.0f / as_float(b[l], s.flag(63), s.flag(62))); });
}

inline void to_float(SassStep& s, const Lanes& b) {
  const int bits = 8 << s.word.bits(84, 2);
  if (s.word.bits(75, 2) != 2) s.known = 0;  // to a double or a half
  s.write(s.result(), [&](std::size_t l) {
    const std::uint64_t v = bits >= 64 ? b[l] : b[l] & ((std::uint64_t{1} << bits) - 1);
    return float_bits(s.flag(74) ? static_cast<float>(sign_extend(v, bits)) : static_cast<float>(v));
  });
}

inline void to_float_on_alu(SassStep& s, const Lanes& b) {
  s.write(s.result(), [&](std::size_t l) { return float_bits(static_cast<float>(integer(b[l], s.flag(74)))); });
}

inline void to_integer(SassStep& s, const Lanes& b) {
  if (s.word.bits(75, 2) != 2 || s.word.bits(84, 2) != 2) s.known = 0;  // other widths than 32 bits
  const auto rounding = s.word.bits(78, 2);
  const bool is_signed = s.flag(72);
  s.write(s.result(), [&](std::size_t l) -> std::uint64_t {
    const double exact = as_float(b[l], s.flag(63), s.flag(62));
    if (std::isnan(exact)) return 0;
    const double v = rounded(exact, rounding);
    if (is_signed)
      return low32(static_cast<std::uint64_t>(static_cast<std::int64_t>(std::clamp(v, -2147483648.0, 2147483647.0))));
    return static_cast<std::uint64_t>(std::clamp(v, 0.0, 4294967295.0));
  });
}

// Integers: sums, products, shifts, logic, bits.

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

// Predicates: comparisons and their logic.

/// A relation is a set: 1 smaller, 2 equal, 4 larger.
inline bool holds(std::uint32_t relation, std::int64_t a, std::int64_t b) {
  return (relation & (a < b ? 1 : a == b ? 2 : 4)) != 0;
}

inline bool holds_of_floats(std::uint32_t relation, float a, float b) {
  const bool nan = std::isnan(a) || std::isnan(b);
  if (relation == 7) return !nan;
  if (relation == 8) return nan;
  if (nan) return relation >= 9;
  return holds(relation & 7, a < b ? -1 : a > b ? 1 : 0, 0);
}

/// A comparison's result and a predicate: and, or, xor.
inline bool joined(std::uint32_t join, bool result, bool predicate) {
  return join == 0 ? result && predicate : join == 1 ? result || predicate : result != predicate;
}

/// Writes the two predicates of an instruction, both computed before either is written.
template <class F>
inline void write_both(SassStep& s, F&& of) {
  std::array<bool, 32> first, second;
  for (std::size_t l = 0; l < 32; ++l) {
    first[l] = of(l, false);
    second[l] = of(l, true);
  }
  s.write_predicate(81, [&](std::size_t l) { return first[l]; });
  s.write_predicate(84, [&](std::size_t l) { return second[l]; });
}

inline void compare_integers(SassStep& s, const Lanes& a, const Lanes& b) {
  const bool is_signed = s.flag(73), extended = s.flag(72);
  const auto relation = s.word.bits(76, 3), join = s.word.bits(74, 2);
  const auto p = s.test(87, 90);
  // Of the upper halves of wide numbers: where they are equal, the lower halves' comparison decides.
  std::array<bool, 32> below{};
  if (extended) below = s.test(68, 71);
  write_both(s, [&](std::size_t l, bool inverse) {
    const std::int64_t x = integer(a[l], is_signed), y = integer(b[l], is_signed);
    const bool r = extended && x == y ? below[l] : holds(relation, x, y);
    return joined(join, r != inverse, p[l]);
  });
}

inline void compare_floats(SassStep& s, const Lanes& a, const Lanes& b) {
  const auto p = s.test(87, 90);
  const auto relation = s.word.bits(76, 4), join = s.word.bits(74, 2);
  const bool nb = s.word.form() == 1 && s.flag(63), ab = s.word.form() == 1 && s.flag(62);
  s.write_predicate(81, [&](std::size_t l) {
    const bool r = holds_of_floats(relation, as_float(a[l], s.flag(72), s.flag(73)), as_float(b[l], nb, ab));
    return joined(join, r, p[l]);
  });
  if (s.word.bits(84, 3) != 7) s.forget(predicate_base + s.word.bits(84, 3));
}

inline void logic_of_predicates(SassStep& s) {
  // Three predicates through a table; the third may be uniform (bit 67).
  const auto x = s.test(87, 90), y = s.test(77, 80);
  const auto third = (s.flag(67) ? uniform_predicate_base : predicate_base) + s.word.bits(68, 3);
  s.known &= s.warp.known[third];
  const auto z = s.warp.registers[third];
  const auto table = (s.word.bits(72, 5) << 3) | s.word.bits(64, 3), second_table = s.word.bits(16, 8);
  write_both(s, [&](std::size_t l, bool second) {
    const std::uint32_t index = (x[l] ? 4u : 0u) | (y[l] ? 2u : 0u) | (((z[l] & 1) != 0) != s.flag(71) ? 1u : 0u);
    return (((second ? second_table : table) >> index) & 1) != 0;
  });
}

/// Would a division need its slow path? Ordinary numbers do not.
inline void division_is_ordinary(SassStep& s) {
  s.write_predicate(81, [](std::size_t) { return false; });
}
}  // namespace sparsecast::gpu_code::sass
