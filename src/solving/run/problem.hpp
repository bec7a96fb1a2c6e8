#pragma once
// What a method works on: the plan of the matrix, the preconditioner and passes over vectors, all counted.

#include <cstddef>
#include <cstdint>
#include <sparsecast/plan.hpp>

#include "solving/method.hpp"
#include "solving/preconditioners/preconditioner.hpp"
#include "solving/run/sweeps.hpp"

namespace sparsecast::solving {
/// A Hermitian system is one of real numbers, twice as many: the two parts of each value lie side by side, and the sums
/// of the methods are the real parts of complex ones, whose imaginary parts are zero. `rows` counts these numbers.
struct Problem {
  const Plan& plan;
  const Preconditioner& preconditioner;
  Preconditioning applied;
  Sweeps& sweeps;
  const Vector& b;
  double b_norm = 1;
  DotsTaken dots = DotsTaken::apart;  ///< of products with product_dots()

  [[nodiscard]] std::int64_t rows() const { return sweeps.rows(); }
  [[nodiscard]] Vector vector() const { return Vector(static_cast<std::size_t>(rows()), 0.0); }
  [[nodiscard]] const formats::VectorLoops& loops() const { return sweeps.loops(); }
  [[nodiscard]] double relative(double square) const;

  /// y = A·x
  void product(const Vector& x, Vector& y);
  /// y = A·x; w·y and y·y
  formats::TwoSums product_dots(const Vector& x, Vector& y, const Vector& w);
  /// y = A·x; w·y
  double product_dot(const Vector& x, Vector& y, const Vector& w);
  /// y = Aᵀ·x
  void transposed(const Vector& x, Vector& y);
  /// z = M⁻¹·r in a step of its own
  void precondition(const Vector& r, Vector& z);
  /// r = b − A·x; r·r
  double residual(const Vector& x, Vector& r);
  double dot(const Vector& x, const Vector& y);
};
}  // namespace sparsecast::solving
