#pragma once
// What a method works on: the plan of the matrix, the preconditioner and passes over vectors, all counted.

#include <sparsecast/plan.hpp>

#include "solve/preconditioners/preconditioner.hpp"
#include "solve/run/history.hpp"
#include "solve/sweeps.hpp"

namespace sparsecast::solve {

struct Problem {
  const Plan& plan;
  const Preconditioner& preconditioner;
  Preconditioning applied;
  Sweeps& sweeps;
  const Vector& b;
  double b_norm = 1;

  [[nodiscard]] std::int64_t rows() const { return plan.rows(); }
  [[nodiscard]] Vector vector() const { return Vector(static_cast<std::size_t>(plan.rows()), 0.0); }
  [[nodiscard]] const formats::VectorLoops& loops() const { return sweeps.loops(); }
  [[nodiscard]] double relative(double square) const;

  /// y = A·x
  void product(const Vector& x, Vector& y);
  /// y = Aᵀ·x
  void transposed(const Vector& x, Vector& y);
  /// z = M⁻¹·r in a step of its own
  void precondition(const Vector& r, Vector& z);
  /// r = b − A·x; r·r
  double residual(const Vector& x, Vector& r);
  double dot(const Vector& x, const Vector& y);
};

// The methods: from x on, until the history says that it is enough. What `answer` is of the eigenvalue methods is in x,
// and the eigenvalues in `eigenvalues`.
void run_cg(Problem& problem, History& history, Vector& x);
void run_bicgstab(Problem& problem, History& history, Vector& x);
void run_gmres(Problem& problem, History& history, Vector& x, int restart);
void run_chebyshev(Problem& problem, History& history, Vector& x);
void run_jacobi(Problem& problem, History& history, Vector& x, const Vector& inverse_diagonal);
void run_power(Problem& problem, History& history, Vector& x, std::vector<double>& eigenvalues);
void run_pagerank(Problem& problem, History& history, Vector& x, const Vector& inverse_degrees);
void run_lobpcg(Problem& problem, History& history, int block, std::vector<double>& eigenvalues);

/// Steps of cg by which chebyshev finds its bounds.
inline constexpr int chebyshev_bound_steps = 40;

}  // namespace sparsecast::solve
