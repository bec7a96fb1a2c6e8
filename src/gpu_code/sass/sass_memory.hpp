#pragma once
// Loads, stores and atomics of machine code: addresses, and values of known content.

#include "gpu_code/sass/sass_step.hpp"

namespace sparsecast::gpu_code::sass {
// Machine code that moves values: between registers and register files, out of constant banks and special registers.

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

/// What they find where.
struct Surroundings {
  const MemoryImage& memory;  ///< of known content
  int architecture;           ///< as 75, 80, …
};

void access_memory(SassStep& s, const SassOperation& operation, const Surroundings& around, StepOutcome& outcome);
}  // namespace sparsecast::gpu_code::sass
