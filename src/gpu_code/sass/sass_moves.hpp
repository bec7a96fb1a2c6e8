#pragma once
// Machine code that moves values: between registers and register files, out of constant banks and special registers.

#include "gpu_code/sass/sass_step.hpp"

namespace sparsecast::gpu_code::sass {
void move(SassStep& s, const Lanes& b);
void select(SassStep& s, const Lanes& a, const Lanes& b);
/// HFMA2 of zeros and a constant: the compiler's way to put that constant in a register.
void constant_by_halves(SassStep& s);
void clock_or_zero(SassStep& s);
void special_register(SassStep& s);
void special_register_to_uniform(SassStep& s);
void to_uniform_register(SassStep& s);
void uniform_constant(SassStep& s);
/// LDC: its address may differ between lanes, so it is an access.
void load_constant(SassStep& s, StepOutcome& outcome);
}  // namespace sparsecast::gpu_code::sass
