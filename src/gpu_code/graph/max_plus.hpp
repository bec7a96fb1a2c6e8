#pragma once
// Matrices over the max-plus algebra (ℝ ∪ {−∞}, ⊕ = max, ⊙ = +), sparse: an absent entry is ε = −∞. They are the
// checked definition of a kernel's time (Antonyuk & Mikheev 2022, sections 4 and 5); the fast way is longest_path() of
// kernel_graph.hpp. Not here: anything that knows what a kernel is.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sparsecast::gpu_code {
/// ε, neutral for ⊕ and absorbing for ⊙.
inline constexpr double epsilon = -std::numeric_limits<double>::infinity();

struct MaxPlusEntry {
  std::int64_t row = 0, col = 0;
  double value = 0;
  bool operator==(const MaxPlusEntry&) const = default;
};

class MaxPlusMatrix {
 public:
  MaxPlusMatrix() = default;
  /// Entries in any order; where two share a place the larger holds (⊕). ε entries are dropped.
  /// Error bad_input for an index out of range.
  MaxPlusMatrix(std::int64_t rows, std::int64_t cols, std::vector<MaxPlusEntry> entries);
  /// I_n: 0 on the diagonal.
  [[nodiscard]] static MaxPlusMatrix identity(std::int64_t n);

  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::int64_t cols() const noexcept { return cols_; }
  /// Sorted by row, then column.
  [[nodiscard]] std::span<const MaxPlusEntry> entries() const noexcept { return entries_; }
  /// Entries of one row, ascending in column.
  [[nodiscard]] std::span<const MaxPlusEntry> row(std::int64_t r) const;
  /// ε where there is no entry.
  [[nodiscard]] double at(std::int64_t row, std::int64_t col) const;
  bool operator==(const MaxPlusMatrix&) const = default;

 private:
  std::int64_t rows_ = 0, cols_ = 0;
  std::vector<MaxPlusEntry> entries_;
  std::vector<std::int64_t> row_pointers_;
};

/// A ⊕ B. Error usage where the shapes differ; so for the others.
[[nodiscard]] MaxPlusMatrix sum(const MaxPlusMatrix& a, const MaxPlusMatrix& b);
/// A ⊙ B: c_ij = max_k (a_ik + b_kj).
[[nodiscard]] MaxPlusMatrix product(const MaxPlusMatrix& a, const MaxPlusMatrix& b);
/// A^⊙m by repeated squaring; A^⊙0 = I.
[[nodiscard]] MaxPlusMatrix power(const MaxPlusMatrix& a, std::int64_t m);
/// A ⊗ B, the Kronecker product with + in the place of ×.
[[nodiscard]] MaxPlusMatrix kronecker(const MaxPlusMatrix& a, const MaxPlusMatrix& b);
/// A ⊙ x.
[[nodiscard]] std::vector<double> apply(const MaxPlusMatrix& a, std::span<const double> x);
/// ⟨x, y⟩ = max_i (x_i + y_i).
[[nodiscard]] double inner(std::span<const double> x, std::span<const double> y);
}  // namespace sparsecast::gpu_code
