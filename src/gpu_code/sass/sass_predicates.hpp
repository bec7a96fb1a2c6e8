#pragma once
// Machine code whose result is a predicate: comparisons and logic of predicates.

#include "gpu_code/sass/sass_step.hpp"

namespace sparsecast::gpu_code::sass {

void compare_integers(SassStep& s, const Lanes& a, const Lanes& b);
void compare_floats(SassStep& s, const Lanes& a, const Lanes& b);
void logic_of_predicates(SassStep& s);
/// Would a division need its slow path? Ordinary numbers do not.
void division_is_ordinary(SassStep& s);

}  // namespace sparsecast::gpu_code::sass
