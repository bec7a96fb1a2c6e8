#pragma once
// Machine code whose result is a predicate: comparisons and logic of predicates.

#include <bit>
#include <cmath>

#include "gpu_code/sass/sass_step.hpp"

namespace sparsecast::gpu_code::sass {
// What machine code computes with single-precision floats as far as they reach an address, conversions included.

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

// What machine code computes with integers: sums, products, shifts, logic, bits. Each takes the values of its operands
// and writes registers and predicates; the table in sass_operations.cpp says which operation it belongs to.

void add_two(SassStep& s, const Lanes& a, const Lanes& b);
void add_three(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c);
void multiply_add(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c);
void multiply_add_wide(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c);
void multiply_add_high(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c);
void shift_and_add(SassStep& s, const Lanes& a, const Lanes& b);

void logic_of_three(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c);
void funnel_shift(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c);
void permute_bytes(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c);
void reverse_bits(SassStep& s, const Lanes& b);
void highest_bit(SassStep& s, const Lanes& b);
void count_bits(SassStep& s, const Lanes& b);

void absolute(SassStep& s, const Lanes& b);
void absolute_difference(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c);
void smaller_or_larger_integer(SassStep& s, const Lanes& a, const Lanes& b);
void smaller_or_larger_sum(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c);
void smallest_or_largest_of_three(SassStep& s, const Lanes& a, const Lanes& b, const Lanes& c);

void compare_integers(SassStep& s, const Lanes& a, const Lanes& b);
void compare_floats(SassStep& s, const Lanes& a, const Lanes& b);
void logic_of_predicates(SassStep& s);
/// Would a division need its slow path? Ordinary numbers do not.
void division_is_ordinary(SassStep& s);
}  // namespace sparsecast::gpu_code::sass
