#pragma once
// What machine code computes with single-precision floats as far as they reach an address, conversions included.

#include <bit>
#include <cmath>

#include "gpu_code/sass/sass_step.hpp"

namespace sparsecast::gpu_code::sass {

inline float as_float(std::uint64_t bits, bool minus, bool absolute) {
  float f = std::bit_cast<float>(low32(bits));
  if (absolute) f = std::fabs(f);
  return minus ? -f : f;
}
inline std::uint64_t float_bits(float f) { return std::bit_cast<std::uint32_t>(f); }

void add_floats(SassStep& s, const Lanes& a, const Lanes& b);
void multiply_floats(SassStep& s, const Lanes& a, const Lanes& b);
void multiply_add_floats(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c);
void smaller_or_larger_float(SassStep& s, const Lanes& a, const Lanes& b);
void reciprocal(SassStep& s, const Lanes& b);

void to_float(SassStep& s, const Lanes& b);
void to_float_on_alu(SassStep& s, const Lanes& b);
void to_integer(SassStep& s, const Lanes& b);

}  // namespace sparsecast::gpu_code::sass
