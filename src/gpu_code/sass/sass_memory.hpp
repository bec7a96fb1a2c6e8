#pragma once
// Loads, stores and atomics of machine code: addresses, and values of known content.

#include "gpu_code/sass/sass_step.hpp"

namespace sparsecast::gpu_code::sass {
/// What they find where.
struct Surroundings {
  const MemoryImage& memory;  ///< of known content
  int architecture;           ///< as 75, 80, …
};

void access_memory(SassStep& s, const SassOperation& operation, const Surroundings& around, StepOutcome& outcome);
}  // namespace sparsecast::gpu_code::sass
