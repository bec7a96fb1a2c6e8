#pragma once
// The max-plus algebra on SuiteSparse:GraphBLAS.

#include <cstdint>
#include <span>
#include <vector>

#include "gpu_code/graph/max_plus.hpp"

namespace sparsecast::gpu_code {
/// The same on SuiteSparse:GraphBLAS's GrB_MAX_PLUS_SEMIRING_FP64 (Error unavailable where it is not built in).
namespace graphblas {
[[nodiscard]] bool available() noexcept;
/// Version text for --version; empty where not built in.
[[nodiscard]] const char* version() noexcept;
[[nodiscard]] MaxPlusMatrix product(const MaxPlusMatrix& a, const MaxPlusMatrix& b);
/// A^⊙m ⊙ x by m sparse matrix-vector products, never a dense power. Stops early at the zero vector (all ε).
[[nodiscard]] std::vector<double> apply_power(const MaxPlusMatrix& a, std::int64_t m, std::span<const double> x);
}  // namespace graphblas
}  // namespace sparsecast::gpu_code
