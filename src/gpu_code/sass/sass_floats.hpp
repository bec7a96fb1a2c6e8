#pragma once
// Single-precision floats of machine code as far as they reach an address, conversions included. Each function takes
// the values of its operands and writes registers and predicates; the table in sass_operations.cpp says which operation
// it belongs to.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "gpu_code/sass/sass_step.hpp"
#include "gpu_code/trace/common_operations.hpp"

namespace sparsecast::gpu_code::sass {
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
}  // namespace sparsecast::gpu_code::sass
