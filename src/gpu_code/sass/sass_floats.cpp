// See sass_floats.hpp.

#include "gpu_code/sass/sass_floats.hpp"

#include <algorithm>

namespace sparsecast::gpu_code::sass {
namespace {

/// Of FADD and FMUL: signs and absolute values of both operands, then `combine`.
template <class F>
void combine_floats(SassStep& s, const Lanes& a, const Lanes& b, F&& combine) {
  const bool nb = (s.word.form() == 1 || s.word.form() == 5) && s.flag(63), ab = s.word.form() == 1 && s.flag(62);
  s.write(s.result(), [&](std::size_t l) {
    return float_bits(combine(as_float(a[l], s.flag(72), s.flag(73)), as_float(b[l], nb, ab)));
  });
}

double rounded(double v, std::uint32_t rounding) {
  return rounding == 0   ? std::nearbyint(v)
         : rounding == 1 ? std::floor(v)
         : rounding == 2 ? std::ceil(v)
                         : std::trunc(v);
}

}  // namespace

void add_floats(SassStep& s, const Lanes& a, const Lanes& b) {
  combine_floats(s, a, b, [](float x, float y) { return x + y; });
}

void multiply_floats(SassStep& s, const Lanes& a, const Lanes& b) {
  combine_floats(s, a, b, [](float x, float y) { return x * y; });
}

void multiply_add_floats(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c) {
  const bool nb = (s.word.form() == 1 || s.word.form() == 5) && s.flag(63),
             nc = s.flag(75) || (s.word.form() == 3 && s.flag(63));
  s.write(s.result(), [&](std::size_t l) {
    return float_bits(
        std::fmaf(as_float(a[l], s.flag(72), false), as_float(b[l], nb, false), as_float(c[l], nc, false)));
  });
}

void smaller_or_larger_float(SassStep& s, const Lanes& a, const Lanes& b) {
  const auto p = s.test(87, 90);
  const bool nb = s.word.form() == 1 && s.flag(63), ab = s.word.form() == 1 && s.flag(62);
  s.write(s.result(), [&](std::size_t l) {
    const float x = as_float(a[l], s.flag(72), s.flag(73)), y = as_float(b[l], nb, ab);
    return float_bits(p[l] ? std::fmin(x, y) : std::fmax(x, y));
  });
}

// Only the reciprocal, which integer division is made of; its last bit does not decide the quotient.
void reciprocal(SassStep& s, const Lanes& b) {
  if (s.word.bits(74, 4) != 4) s.known = 0;
  s.write(s.result(), [&](std::size_t l) { return float_bits(1.0f / as_float(b[l], s.flag(63), s.flag(62))); });
}

void to_float(SassStep& s, const Lanes& b) {
  const int bits = 8 << s.word.bits(84, 2);
  if (s.word.bits(75, 2) != 2) s.known = 0;  // to a double or a half
  s.write(s.result(), [&](std::size_t l) {
    const std::uint64_t v = bits >= 64 ? b[l] : b[l] & ((std::uint64_t{1} << bits) - 1);
    return float_bits(s.flag(74) ? static_cast<float>(sign_extend(v, bits)) : static_cast<float>(v));
  });
}

void to_float_on_alu(SassStep& s, const Lanes& b) {
  const bool is_signed = s.flag(74);
  s.write(s.result(), [&](std::size_t l) {
    return float_bits(is_signed ? static_cast<float>(sign_extend(b[l], 32)) : static_cast<float>(low32(b[l])));
  });
}

void to_integer(SassStep& s, const Lanes& b) {
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
