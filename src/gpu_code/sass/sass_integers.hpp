#pragma once
// What machine code computes with integers: sums, products, shifts, logic, bits. Each takes the values of its operands
// and writes registers and predicates; the table in sass_operations.cpp says which operation it belongs to.

#include "gpu_code/sass/sass_step.hpp"

namespace sparsecast::gpu_code::sass {

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

}  // namespace sparsecast::gpu_code::sass
