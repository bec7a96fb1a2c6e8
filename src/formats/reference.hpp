#pragma once
// The oracle that every kernel is tested against: a plain sequential CSR product, with the error that any order of
// summation may make. It is not for use where speed matters.

#include <sparsecast/matrix.hpp>

namespace sparsecast::formats {
struct ReferenceProduct {
  std::vector<double> y;
  /// |computed − y| ≤ bound holds per row for every product in Value, whatever its order of summation and whether or
  /// not it fuses: a row of n non-zeros has error ≤ γ_n·Σ|a||x| with γ_n = n·u/(1 − n·u), u the unit roundoff (Higham
  /// 2002, section 3.1). The bound holds γ_n of Value and of this product's own double; infinite where n·u ≥ 1.
  std::vector<double> bound;
};

/// y = A·x with A rounded to Value first (x is in Value already), summed in double.
template <class Value>
[[nodiscard]] ReferenceProduct reference_product(const Matrix& matrix, std::span<const Value> x);
}  // namespace sparsecast::formats
