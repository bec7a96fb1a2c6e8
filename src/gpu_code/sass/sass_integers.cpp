// What the arithmetic of machine code computes: integers, predicates, and the floats that reach an address.

#include <algorithm>
#include <cmath>

#include "gpu_code/sass/sass_step.hpp"

namespace sparsecast::gpu_code {
namespace {

bool compare_integers(std::uint32_t relation, std::int64_t a, std::int64_t b) {
  switch (relation) {
    case 0:
      return false;
    case 1:
      return a < b;
    case 2:
      return a == b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    case 5:
      return a != b;
    case 6:
      return a >= b;
    default:
      return true;
  }
}

std::uint64_t smaller_or_larger(std::uint64_t a, std::uint64_t b, bool is_signed, bool smaller) {
  const bool less = is_signed ? sign_extend(a, 32) < sign_extend(b, 32) : low32(a) < low32(b);
  return low32(less == smaller ? a : b);
}

bool compare_floats(std::uint32_t relation, float a, float b) {
  const bool nan = std::isnan(a) || std::isnan(b);
  if (relation == 7) return !nan;
  if (relation == 8) return nan;
  if (nan) return relation >= 9;
  return compare_integers(relation & 7, a < b ? -1 : a > b ? 1 : 0, 0);
}

}  // namespace

void SassCode::compute(Step& s) const {
  const auto& word = s.word;
  const auto& warp = s.warp;
  // The uniform data path has the same operations.
  const auto operation = word.operation() - (s.uniform ? 0x80u : 0u);
  const auto d = s.reg(16);
  const auto negate = [&](int bit) { return word.bits(bit, 1) != 0; };
  const auto as_float = [](std::uint64_t bits, bool minus, bool absolute) {
    float f = std::bit_cast<float>(low32(bits));
    if (absolute) f = std::fabs(f);
    return minus ? -f : f;
  };
  const auto float_bits = [](float f) -> std::uint64_t { return std::bit_cast<std::uint32_t>(f); };
  switch (operation) {
    case op_nop:
    case op_bssy:
      return;
    case op_mov: {
      const auto v = s.second();
      s.write(d, [&](std::size_t l) { return low32(v[l]); });
      return;
    }
    case op_iadd3: {
      const auto a = s.a(), b = s.b(), c = s.c();
      const bool extended = negate(74);
      const bool na = negate(72), nb = word.form() != 4 && negate(63), nc = negate(75);
      std::array<bool, 32> carry{}, carry2{};
      if (extended) {
        carry = s.test(87, 90);
        carry2 = s.test(77, 80);
      }
      const auto total = [&](std::size_t l) {
        const auto term = [&](std::uint64_t v, bool minus) -> std::uint64_t { return low32(minus ? ~v : v); };
        std::uint64_t t = term(a[l], na) + term(b[l], nb) + term(c[l], nc);
        // −x is ~x + 1 in a plain sum; in an extended one the 1 comes in as the carry.
        if (!extended) t += static_cast<std::uint64_t>(na) + nb + nc;
        return t + carry[l] + carry2[l];
      };
      const LaneMask good = s.known;
      std::array<std::uint64_t, 32> totals;
      for (std::size_t l = 0; l < 32; ++l) totals[l] = total(l);
      s.known = good;
      s.write(d, [&](std::size_t l) { return low32(totals[l]); });
      s.write_predicate(81, [&](std::size_t l) { return (totals[l] >> 32) != 0; });
      s.write_predicate(84, [&](std::size_t l) { return (totals[l] >> 32) > 1; });
      return;
    }
    case op_imad: {
      const auto a = s.a(), b = s.b(), c = s.c();
      std::array<bool, 32> carry{};
      if (negate(74)) carry = s.test(87, 90);
      const bool nb = word.form() == 1 && negate(63), nc = negate(75) || (word.form() == 3 && negate(63));
      s.write(d, [&](std::size_t l) {
        const std::uint64_t p = a[l] * b[l];
        return low32((nb ? 0 - p : p) + (nc ? 0 - c[l] : c[l]) + carry[l]);
      });
      return;
    }
    case op_imad_wide:
    case op_imad_hi: {
      const auto a = s.a(), b = s.b(), c = s.c(), high = s.c_high();
      const bool is_signed = negate(73);
      const bool imm = word.form() == 2;
      const auto total = [&](std::size_t l) {
        const std::uint64_t p = is_signed ? static_cast<std::uint64_t>(sign_extend(a[l], 32) * sign_extend(b[l], 32))
                                          : static_cast<std::uint64_t>(low32(a[l])) * low32(b[l]);
        return p + (imm ? static_cast<std::uint64_t>(sign_extend(c[l], 32)) : (low32(c[l]) | (high[l] << 32)));
      };
      if (operation == op_imad_hi) {
        s.write(d, [&](std::size_t l) { return total(l) >> 32; });
      } else {
        std::array<std::uint64_t, 32> totals;
        for (std::size_t l = 0; l < 32; ++l) totals[l] = total(l);
        s.write(d, [&](std::size_t l) { return low32(totals[l]); });
        s.write(Step::next(d), [&](std::size_t l) { return totals[l] >> 32; });
        s.write_predicate(81, [&](std::size_t l) { return totals[l] < (low32(c[l]) | (high[l] << 32)); });
      }
      return;
    }
    case op_lea: {
      const auto a = s.a(), b = s.b();
      const auto shift = word.bits(75, 5);
      const bool high = negate(80), extended = negate(74), sign = negate(73), na = negate(72),
                 nb = word.form() != 4 && negate(63);
      Lanes c{};
      if (high && !sign) c = s.value(s.reg(64));
      std::array<bool, 32> carry{};
      if (extended) carry = s.test(87, 90);
      std::array<std::uint64_t, 32> totals;
      for (std::size_t l = 0; l < 32; ++l) {
        std::uint64_t x =
            low32(a[l]) | (sign ? static_cast<std::uint64_t>(sign_extend(a[l], 32)) & 0xffffffff00000000u : c[l] << 32);
        if (na) x = 0 - x;
        const std::uint64_t y = nb ? low32(extended ? ~b[l] : 0 - b[l]) : low32(b[l]);
        const std::uint64_t term = high ? (shift == 0 ? x >> 32 : low32((x << shift) >> 32)) : low32(x << shift);
        totals[l] = low32(term) + y + carry[l];
      }
      s.write(d, [&](std::size_t l) { return low32(totals[l]); });
      s.write_predicate(81, [&](std::size_t l) { return (totals[l] >> 32) != 0; });
      return;
    }
    case op_lop3: {
      const auto a = s.a(), b = s.b(), c = s.c();
      const auto table = word.bits(72, 8);
      // a & 0 is known whatever a is; needed where the compiler clears registers so.
      std::array<std::uint64_t, 32> r;
      for (std::size_t l = 0; l < 32; ++l) {
        std::uint64_t v = 0;
        for (int i = 0; i < 8; ++i)
          if ((table >> i) & 1) v |= ((i & 4) ? a[l] : ~a[l]) & ((i & 2) ? b[l] : ~b[l]) & ((i & 1) ? c[l] : ~c[l]);
        r[l] = low32(v);
      }
      s.write(d, [&](std::size_t l) { return r[l]; });
      s.write_predicate(81, [&](std::size_t l) { return r[l] != 0; });
      return;
    }
    case op_shf: {
      const auto a = s.a(), b = s.b(), c = s.c();
      const bool right = negate(76), high = negate(80);
      const auto type = word.bits(73, 2);  // 0 S64, 1 U64, 2 S32, 3 U32
      const bool wraps = negate(75);
      s.write(d, [&](std::size_t l) -> std::uint64_t {
        const std::uint64_t both = low32(a[l]) | (c[l] << 32);
        const std::uint64_t limit = type >= 2 ? 32 : 64;
        std::uint64_t by = low32(b[l]);
        by = wraps ? by % limit : std::min<std::uint64_t>(by, limit);
        if (!right) {
          const std::uint64_t v = by >= 64 ? 0 : both << by;
          if (type >= 2 && !high) return by >= 32 ? 0 : low32(a[l] << by);
          return high ? low32(v >> 32) : low32(v);
        }
        if (high) {
          if (type == 2 || type == 0)
            return low32(static_cast<std::uint64_t>(sign_extend(c[l], 32) >> std::min<std::uint64_t>(by, 31)));
          return by >= 32 ? 0 : low32(c[l]) >> by;
        }
        if (type == 0)
          return low32(static_cast<std::uint64_t>(static_cast<std::int64_t>(both) >> std::min<std::uint64_t>(by, 63)));
        return by >= 64 ? 0 : low32(both >> by);
      });
      return;
    }
    case op_sel: {
      const auto a = s.a(), b = s.b();
      const auto p = s.test(87, 90);
      s.write(d, [&](std::size_t l) { return p[l] ? a[l] : b[l]; });
      return;
    }
    case op_viadd: {  // compute capability 9.0: a plain sum of two
      const auto a = s.a(), b = s.b();
      const bool na = negate(72), nb = word.form() != 4 && negate(63);
      s.write(d, [&](std::size_t l) { return low32((na ? 0 - a[l] : a[l]) + (nb ? 0 - b[l] : b[l])); });
      return;
    }
    case op_vimnmx:
    case op_imnmx: {
      const auto a = s.a(), b = s.b();
      const auto p = s.test(87, 90);
      const bool is_signed = negate(73);
      s.write(d, [&](std::size_t l) { return smaller_or_larger(a[l], b[l], is_signed, p[l]); });
      return;
    }
    case op_viaddmnmx: {  // compute capability 9.0: the sum of two against a third, never below 0 where it says so
      const auto a = s.a(), b = s.b(), c = s.c();
      const auto p = s.test(87, 90);
      const bool is_signed = negate(72), not_negative = negate(76), nb = word.form() == 1 && negate(63);
      s.write(d, [&](std::size_t l) {
        const auto v = smaller_or_larger(low32(a[l] + (nb ? 0 - b[l] : b[l])), c[l], is_signed, p[l]);
        return not_negative && sign_extend(v, 32) < 0 ? 0 : v;
      });
      return;
    }
    case op_vimnmx3: {
      const auto a = s.a(), b = s.b(), c = s.c();
      const auto p = s.test(87, 90);
      const bool is_signed = negate(72);
      s.write(d, [&](std::size_t l) {
        return smaller_or_larger(smaller_or_larger(a[l], b[l], is_signed, p[l]), c[l], is_signed, p[l]);
      });
      return;
    }
    case op_vabsdiff: {
      const auto a = s.a(), b = s.b(), c = s.c();
      const bool is_signed = negate(73);
      s.write(d, [&](std::size_t l) {
        const std::int64_t x = is_signed ? sign_extend(a[l], 32) : low32(a[l]),
                           y = is_signed ? sign_extend(b[l], 32) : low32(b[l]);
        return low32(static_cast<std::uint64_t>(std::abs(x - y)) + c[l]);
      });
      return;
    }
    case op_brev: {
      const auto b = s.second();
      s.write(d, [&](std::size_t l) {
        std::uint32_t r = 0;
        for (int i = 0; i < 32; ++i) r |= ((low32(b[l]) >> i) & 1u) << (31 - i);
        return static_cast<std::uint64_t>(r);
      });
      return;
    }
    case op_flo: {  // place of the highest bit that is set (of a negative signed number: not set), all ones for none
      const auto b = s.second();
      const bool is_signed = negate(73), from_top = negate(74);
      s.write(d, [&](std::size_t l) -> std::uint64_t {
        auto v = low32(b[l]);
        if (is_signed && (v >> 31) != 0) v = ~v;
        if (v == 0) return 0xffffffffu;
        const int zeros = std::countl_zero(v);
        return static_cast<std::uint64_t>(from_top ? zeros : 31 - zeros);
      });
      return;
    }
    case op_fmnmx: {
      const auto a = s.a(), b = s.second();
      const auto p = s.test(87, 90);
      const bool nb = word.form() == 1 && negate(63), ab = word.form() == 1 && negate(62);
      s.write(d, [&](std::size_t l) {
        const float x = as_float(a[l], negate(72), negate(73)), y = as_float(b[l], nb, ab);
        return float_bits(p[l] ? std::fmin(x, y) : std::fmax(x, y));
      });
      return;
    }
    case op_i2fp: {
      const auto b = s.second();
      const bool is_signed = negate(74);
      s.write(d, [&](std::size_t l) {
        return float_bits(is_signed ? static_cast<float>(sign_extend(b[l], 32)) : static_cast<float>(low32(b[l])));
      });
      return;
    }
    case op_fchk:  // would a division need its slow path? Ordinary numbers do not.
      s.write_predicate(81, [](std::size_t) { return false; });
      return;
    case op_iabs: {
      const auto b = s.second();
      s.write(d, [&](std::size_t l) { return low32(static_cast<std::uint64_t>(std::abs(sign_extend(b[l], 32)))); });
      return;
    }
    case op_prmt: {
      const auto a = s.a(), b = s.b(), c = s.c();
      s.write(d, [&](std::size_t l) {
        const std::uint64_t both = low32(a[l]) | (c[l] << 32);
        std::uint64_t r = 0;
        for (int i = 0; i < 4; ++i) {
          const auto q = (b[l] >> (4 * i)) & 15;
          std::uint64_t byte = (both >> (8 * (q & 7))) & 255;
          if (q & 8) byte = (byte & 128) ? 255 : 0;
          r |= byte << (8 * i);
        }
        return r;
      });
      return;
    }
    case op_isetp: {
      const auto a = s.a(), b = s.b();
      const bool is_signed = negate(73), extended = negate(72);
      const auto relation = word.bits(76, 3), join = word.bits(74, 2);
      const auto p = s.test(87, 90);
      std::array<bool, 32> below{};
      if (extended) below = s.test(68, 71);
      const auto outcome_of = [&](std::size_t l, bool inverse) {
        const std::int64_t x = is_signed ? sign_extend(a[l], 32) : low32(a[l]),
                           y = is_signed ? sign_extend(b[l], 32) : low32(b[l]);
        bool r = extended && x == y ? below[l] : compare_integers(relation, x, y);
        if (extended && relation == 5 && x != y) r = true;
        if (extended && relation == 2 && x != y) r = false;
        if (inverse) r = !r;
        return join == 0 ? r && p[l] : join == 1 ? r || p[l] : r != p[l];
      };
      std::array<bool, 32> first, second;
      for (std::size_t l = 0; l < 32; ++l) {
        first[l] = outcome_of(l, false);
        second[l] = outcome_of(l, true);
      }
      s.write_predicate(81, [&](std::size_t l) { return first[l]; });
      s.write_predicate(84, [&](std::size_t l) { return second[l]; });
      return;
    }
    case op_fsetp: {
      const auto a = s.a(), b = s.second();
      const auto p = s.test(87, 90);
      const auto relation = word.bits(76, 4), join = word.bits(74, 2);
      s.write_predicate(81, [&](std::size_t l) {
        const bool r = compare_floats(relation, as_float(a[l], negate(72), negate(73)),
                                      as_float(b[l], word.form() == 1 && negate(63), word.form() == 1 && negate(62)));
        return join == 0 ? r && p[l] : join == 1 ? r || p[l] : r != p[l];
      });
      if (word.bits(84, 3) != 7) s.forget(predicate_base + word.bits(84, 3));
      return;
    }
    case op_plop3: {
      // Three predicates through a table; the third may be uniform (bit 67).
      const auto x = s.test(87, 90), y = s.test(77, 80);
      const auto third = (word.bits(67, 1) ? uniform_predicate_base : predicate_base) + word.bits(68, 3);
      s.known &= warp.known[third];
      const auto z = warp.registers[third];
      const auto table = (word.bits(72, 5) << 3) | word.bits(64, 3), table2 = word.bits(16, 8);
      const auto look = [&](std::size_t l, std::uint32_t t) {
        const std::uint32_t index = (x[l] ? 4u : 0u) | (y[l] ? 2u : 0u) | (((z[l] & 1) != 0) != negate(71) ? 1u : 0u);
        return ((t >> index) & 1) != 0;
      };
      std::array<bool, 32> first, second;
      for (std::size_t l = 0; l < 32; ++l) {
        first[l] = look(l, table);
        second[l] = look(l, table2);
      }
      s.write_predicate(81, [&](std::size_t l) { return first[l]; });
      s.write_predicate(84, [&](std::size_t l) { return second[l]; });
      return;
    }
    case op_fmul:
    case op_fadd: {
      const auto a = s.a(), b = s.second();
      const bool nb = (word.form() == 1 || word.form() == 5) && negate(63), ab = word.form() == 1 && negate(62);
      s.write(d, [&](std::size_t l) {
        const float x = as_float(a[l], negate(72), negate(73)), y = as_float(b[l], nb, ab);
        return float_bits(operation == op_fmul ? x * y : x + y);
      });
      return;
    }
    case op_ffma: {
      const auto a = s.a(), b = s.b(), c = s.c();
      const bool nb = (word.form() == 1 || word.form() == 5) && negate(63),
                 nc = negate(75) || (word.form() == 3 && negate(63));
      s.write(d, [&](std::size_t l) {
        return float_bits(
            std::fmaf(as_float(a[l], negate(72), false), as_float(b[l], nb, false), as_float(c[l], nc, false)));
      });
      return;
    }
    case op_i2f: {
      const auto b = s.second();
      const int bits = 8 << word.bits(84, 2);
      if (word.bits(75, 2) != 2) s.known = 0;
      s.write(d, [&](std::size_t l) {
        const std::uint64_t v = bits >= 64 ? b[l] : b[l] & ((std::uint64_t{1} << bits) - 1);
        return float_bits(negate(74) ? static_cast<float>(sign_extend(v, bits)) : static_cast<float>(v));
      });
      return;
    }
    case op_f2i: {
      const auto b = s.second();
      if (word.bits(75, 2) != 2 || word.bits(84, 2) != 2) s.known = 0;
      const auto rounding = word.bits(78, 2);
      const bool is_signed = negate(72);
      s.write(d, [&](std::size_t l) -> std::uint64_t {
        double v = as_float(b[l], negate(63), negate(62));
        if (std::isnan(v)) return 0;
        v = rounding == 0   ? std::nearbyint(v)
            : rounding == 1 ? std::floor(v)
            : rounding == 2 ? std::ceil(v)
                            : std::trunc(v);
        if (is_signed)
          return low32(
              static_cast<std::uint64_t>(static_cast<std::int64_t>(std::clamp(v, -2147483648.0, 2147483647.0))));
        return static_cast<std::uint64_t>(std::clamp(v, 0.0, 4294967295.0));
      });
      return;
    }
    case op_mufu: {
      // Only the reciprocal, which integer division is made of; its last bit does not decide the quotient.
      const auto b = s.second();
      if (word.bits(74, 4) != 4) s.known = 0;
      s.write(d, [&](std::size_t l) { return float_bits(1.0f / as_float(b[l], negate(63), negate(62))); });
      return;
    }
    case op_popc: {
      const auto b = s.second();
      s.write(d, [&](std::size_t l) { return static_cast<std::uint64_t>(std::popcount(low32(b[l]))); });
      return;
    }
    case op_hfma2:
    case op_hfma2_mma:
      // The compiler's way to put a constant in a register: −0 × 0 + constant.
      if (word.form() == 2 && word.bits(24, 8) == rz && word.bits(64, 8) == rz) {
        s.write(d, [&](std::size_t) { return word.bits(32, 32); });
        return;
      }
      break;
    default:
      break;
  }
  // Not computed here: the result stays unknown (double-precision results fill two registers).
  s.known = 0;
  if (operation >= 0x120 && operation < 0x180) return;  // control
  s.forget(d);
  if ((operation >= 0x28 && operation <= 0x2b) || (operation >= 0x104 && operation <= 0x113)) s.forget(Step::next(d));
}

}  // namespace sparsecast::gpu_code
