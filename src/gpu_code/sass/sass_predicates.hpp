#pragma once
// Predicates of machine code: comparisons and their logic. Each function takes the values
// of its operands and writes registers and predicates; the table in sass_operations.cpp says which operation it belongs
// to.

#include <bit>
#include <cmath>
#include <cstdint>

#include "gpu_code/sass/sass_floats.hpp"
#include "gpu_code/sass/sass_integers.hpp"

namespace sparsecast::gpu_code::sass {
/// A relation is a set: 1 smaller, 2 equal, 4 larger.
inline bool holds(std::uint32_t relation, std::int64_t a, std::int64_t b) {
  return (relation & (a < b ? 1 : a == b ? 2 : 4)) != 0;
}

template <class T>
bool holds_of_floats(std::uint32_t relation, T a, T b) {
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
  // How large the argument of a function is: where that is not known, it is ordinary.
  const LaneMask known = s.known;
  if (s.word.form() == 4 && bounds_ordinary_floats(s.word.bits(32, 32))) s.known = s.warp.known[s.predicate(87, false)];
  s.write_predicate(81, [&](std::size_t l) {
    const auto x = (known >> l) & 1 ? a[l] : ordinary_float;
    const bool r = holds_of_floats(relation, as_float(x, s.flag(72), s.flag(73)), as_float(b[l], nb, ab));
    return joined(join, r, p[l]);
  });
  if (s.word.bits(84, 3) != 7) s.forget(predicate_base + s.word.bits(84, 3));
}

/// DSETP: what the registers of a hold is seldom known; where the other operand is a bound that ordinary numbers keep,
/// they do.
inline void compare_doubles(SassStep& s) {
  const auto pair = [&](std::uint32_t r) {
    Lanes low = s.value(r);
    const Lanes& high = s.value(SassStep::next(r));
    for (std::size_t l = 0; l < 32; ++l) low[l] = low32(low[l]) | high[l] << 32;
    return low;
  };
  const auto as_double = [](std::uint64_t bits, bool minus, bool absolute) {
    const double d = std::bit_cast<double>(bits);
    return minus ? -(absolute ? std::fabs(d) : d) : absolute ? std::fabs(d) : d;
  };
  const auto p = s.test(87, 90);
  const LaneMask of_predicate = s.known;
  const bool immediate = s.word.form() == 2;
  Lanes b;
  switch (s.word.form()) {
    case 1: b = pair(s.reg(32)); break;
    case 2: b = s.broadcast(std::uint64_t{s.word.bits(32, 32)} << 32); break;
    case 3: {
      const Lanes low = s.constant32(), high = s.constant32(4);
      for (std::size_t l = 0; l < 32; ++l) b[l] = low32(low[l]) | high[l] << 32;
      break;
    }
    default: b = pair(s.uniform_reg(32));
  }
  Lanes a = pair(s.reg(24));
  if (immediate && bounds_ordinary_doubles(b[0])) {
    for (const std::size_t l : LanesOf{~s.known}) a[l] = ordinary_double;
    s.known = of_predicate;
  }
  const auto relation = s.word.bits(76, 4), join = s.word.bits(74, 2);
  write_both(s, [&](std::size_t l, bool inverse) {
    const bool r = holds_of_floats(relation, as_double(a[l], s.flag(72), s.flag(73)),
                                   as_double(b[l], !immediate && s.flag(63), !immediate && s.flag(62)));
    return joined(join, r != inverse, p[l]);
  });
}

/// HSETP2: halves are not computed.
inline void compare_halves(SassStep& s) {
  s.known = 0;
  write_both(s, [](std::size_t, bool) { return false; });
}

/// P2R and R2P: predicates kept in a byte of a register, and back from it; a bit of the mask for each.
inline void keep_predicates(SassStep& s) {
  const auto mask = s.word.bits(32, 7), shift = 8 * s.word.bits(76, 2);
  Lanes kept = s.a();
  for (std::uint32_t k = 0; k < 7; ++k) {
    if (((mask >> k) & 1) == 0) continue;
    const Lanes& predicate = s.value(predicate_base + k);
    const std::uint64_t bit = std::uint64_t{1} << (k + shift);
    for (std::size_t l = 0; l < 32; ++l) kept[l] = (predicate[l] & 1) != 0 ? kept[l] | bit : kept[l] & ~bit;
  }
  s.write(s.result(), [&](std::size_t l) { return kept[l]; });
}
inline void restore_predicates(SassStep& s) {
  const auto mask = s.word.bits(32, 7), shift = 8 * s.word.bits(76, 2);
  const Lanes kept = s.a();
  for (std::uint32_t k = 0; k < 7; ++k)
    if (((mask >> k) & 1) != 0)
      s.write(predicate_base + k, [&](std::size_t l) { return (kept[l] >> (k + shift)) & 1; });
}

/// VOTE: the lanes in which a predicate holds, and whether it does in all of them (0), in any (1) or alike (2).
inline void vote(SassStep& s) {
  const auto source = predicate_base + s.word.bits(87, 3);
  const LaneMask known = s.warp.known[source];
  LaneMask yes = 0;
  for (const std::size_t l : LanesOf{s.on})
    yes |= static_cast<LaneMask>(((s.warp.registers[source][l] & 1) != 0) != s.flag(90)) << l;
  s.known = (s.on & ~known) == 0 ? s.known : 0;
  const auto kind = s.word.bits(72, 2);
  const bool result = kind == 0 ? yes == s.on : kind == 1 ? yes != 0 : yes == 0 || yes == s.on;
  s.write(s.result(), [&](std::size_t) { return std::uint64_t{yes}; });
  s.write_predicate(81, [&](std::size_t) { return result; });
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
