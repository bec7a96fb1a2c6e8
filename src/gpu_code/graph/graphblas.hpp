#pragma once
// The max-plus algebra (ℝ ∪ {−∞}, ⊕ = max, ⊙ = +; Antonyuk & Mikheev 2022, sections 4 and 5) on SuiteSparse:GraphBLAS.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sparsecast::gpu_code {
/// ε, neutral for ⊕ and absorbing for ⊙: what an absent entry of a sparse matrix is.
inline constexpr double epsilon = -std::numeric_limits<double>::infinity();

struct MaxPlusEntry {
  std::int64_t row = 0, col = 0;
  double value = 0;
};
}  // namespace sparsecast::gpu_code

namespace sparsecast::gpu_code::graphblas {
[[nodiscard]] bool available() noexcept;
/// Version text for --version; empty where not built in.
[[nodiscard]] const char* version() noexcept;
/// A^⊙m ⊙ x by m sparse matrix-vector products, never a dense power; A is square, of as many rows as x has elements,
/// and where two of its entries share a place the larger holds. Stops early at the zero vector (all ε). Error
/// unavailable where GraphBLAS is not built in.
[[nodiscard]] std::vector<double> apply_power(std::span<const MaxPlusEntry> a, std::int64_t m,
                                              std::span<const double> x);
}  // namespace sparsecast::gpu_code::graphblas
