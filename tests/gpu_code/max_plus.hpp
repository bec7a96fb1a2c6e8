#pragma once
// Matrices over the max-plus algebra (ℝ ∪ {−∞}, ⊕ = max, ⊙ = +), written down as they are defined (Antonyuk & Mikheev
// 2022, sections 4 and 5): what the product's two ways to a kernel's time, the longest path and GraphBLAS, are held
// against.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu_code/graph/graphblas.hpp"
#include "gpu_code/graph/kernel_graph.hpp"

namespace sparsecast::gpu_code {
using MaxPlusVector = std::vector<double>;

/// Places that are not given hold ε; where two entries share a place the larger holds.
struct MaxPlusMatrix {
  std::size_t rows = 0, cols = 0;
  std::vector<double> values;
  MaxPlusMatrix(std::int64_t r, std::int64_t c, const std::vector<MaxPlusEntry>& entries)
      : rows(static_cast<std::size_t>(r)), cols(static_cast<std::size_t>(c)), values(rows * cols, epsilon) {
    for (const auto& e : entries) {
      auto& place = at(static_cast<std::size_t>(e.row), static_cast<std::size_t>(e.col));
      place = std::max(place, e.value);
    }
  }
  /// I_n: 0 on the diagonal.
  static MaxPlusMatrix identity(std::int64_t n) {
    MaxPlusMatrix result(n, n, {});
    for (std::size_t i = 0; i < result.rows; ++i) result.at(i, i) = 0;
    return result;
  }
  double& at(std::size_t row, std::size_t col) { return values.at(row * cols + col); }
  [[nodiscard]] double at(std::size_t row, std::size_t col) const { return values.at(row * cols + col); }
  bool operator==(const MaxPlusMatrix&) const = default;
};

/// A ⊕ B.
inline MaxPlusMatrix sum(MaxPlusMatrix a, const MaxPlusMatrix& b) {
  for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] = std::max(a.values[i], b.values.at(i));
  return a;
}

/// A ⊙ B: c_ij = max_k (a_ik + b_kj).
inline MaxPlusMatrix product(const MaxPlusMatrix& a, const MaxPlusMatrix& b) {
  MaxPlusMatrix c(static_cast<std::int64_t>(a.rows), static_cast<std::int64_t>(b.cols), {});
  for (std::size_t i = 0; i < c.rows; ++i)
    for (std::size_t j = 0; j < c.cols; ++j)
      for (std::size_t k = 0; k < a.cols; ++k) c.at(i, j) = std::max(c.at(i, j), a.at(i, k) + b.at(k, j));
  return c;
}

/// A^⊙m; A^⊙0 = I.
inline MaxPlusMatrix power(const MaxPlusMatrix& a, std::int64_t m) {
  auto result = MaxPlusMatrix::identity(static_cast<std::int64_t>(a.rows));
  for (; m > 0; --m) result = product(result, a);
  return result;
}

/// A ⊗ B, the Kronecker product with + in the place of ×.
inline MaxPlusMatrix kronecker(const MaxPlusMatrix& a, const MaxPlusMatrix& b) {
  MaxPlusMatrix c(static_cast<std::int64_t>(a.rows * b.rows), static_cast<std::int64_t>(a.cols * b.cols), {});
  for (std::size_t i = 0; i < c.rows; ++i)
    for (std::size_t j = 0; j < c.cols; ++j) c.at(i, j) = a.at(i / b.rows, j / b.cols) + b.at(i % b.rows, j % b.cols);
  return c;
}

/// A ⊙ x.
inline MaxPlusVector apply(const MaxPlusMatrix& a, const MaxPlusVector& x) {
  MaxPlusVector y(a.rows, epsilon);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t k = 0; k < a.cols; ++k) y[i] = std::max(y[i], a.at(i, k) + x.at(k));
  return y;
}

/// ⟨x, y⟩ = max_i (x_i + y_i).
inline double inner(const MaxPlusVector& x, const MaxPlusVector& y) {
  double best = epsilon;
  for (std::size_t i = 0; i < x.size(); ++i) best = std::max(best, x[i] + y.at(i));
  return best;
}
}  // namespace sparsecast::gpu_code
