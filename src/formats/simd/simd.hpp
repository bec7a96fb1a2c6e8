#pragma once
// The versions of base/machine/simd.hpp that kernels exist in; the best one is chosen when a product is built.

#include "base/machine/simd.hpp"

namespace sparsecast::formats {
using base::best_simd;
using base::Compiled;
using base::compiled_for;
using base::Simd;
using base::simd_name;
using base::supported_simd;
}  // namespace sparsecast::formats
