#pragma once
// A solve carried out: the product by a Plan, the vectors on the host's threads or on the plan's device. What a
// forecast is held against.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solving/method.hpp"
#include "solving/preconditioners/preconditioner.hpp"
#include "solving/run/history.hpp"

namespace sparsecast::solving {
struct SolveTask {
  Method method;
  PreconditionerKind preconditioner = PreconditionerKind::none;
  std::string kernel = {};  ///< of the product, as in the table of kernels
  int threads = 1;
  std::string device = "host";  ///< or opencl:N, cuda:N, which take cg without a preconditioner
  RunOptions run = {};
  /// Dot products in passes of their own also where the kernel takes them, to see what that brings.
  bool dots_apart = false;
  double repeat_s = 0;  ///< the solve is repeated until it has run so long, for the median of an iteration's time
};

struct SolveResult {
  std::int64_t iterations = 0;
  double iteration_s = 0;       ///< median over the repetitions
  double run_s = 0;             ///< the same of the whole solve from x = 0, without the set-up
  double conversion_s = 0;      ///< of the format
  double preconditioner_s = 0;  ///< and what else comes before the first iteration (the bounds of chebyshev)
  double residual = 0;  ///< relative: ‖b − A·x‖/‖b‖ as it is, not as the method carries it along; of eigenvectors
                        ///< ‖A·x − λ·x‖/|λ|, of λ = 0 beside the norm of A in its place, of pagerank the last change
  Ending ending = Ending::limit;
  std::string reason;             ///< of a breakdown
  std::vector<double> residuals;  ///< every `every` iterations
  std::int64_t every = 1;
  std::string history;  ///< eight of them
  Amounts counted;      ///< of one solve, preparation included
  std::vector<double> eigenvalues;
  Vector x;

  [[nodiscard]] double setup_s() const { return conversion_s + preconditioner_s; }
};

/// What a method works on in place of the matrix: of pagerank all entries are 1; with `spd` spd_shift().
[[nodiscard]] Matrix matrix_to_solve(const Matrix& matrix, const Method& method, bool spd);

/// A right-hand side that has a share of every eigenvector: numbers between −1 and 1 at random, the same ones always.
[[nodiscard]] Vector random_right_hand_side(std::int64_t rows);

/// Solves A·x = b from x = 0; b: random_right_hand_side() where none is given. The matrix must be matrix_to_solve()'s.
/// Error as require_fit() and make_preconditioner(), usage for a kernel that the device does not have, unavailable for
/// what a device other than the host does not solve.
[[nodiscard]] SolveResult run_solve(const Matrix& matrix, const SolveTask& task, const std::optional<Vector>& b = {});

/// Whether run_solve() has it on that device.
[[nodiscard]] bool runs_on(const std::string& device, const Method& method, PreconditionerKind preconditioner,
                           bool complex_values);

/// Error failed with the residual's history where the solve stagnated, diverged, broke down, or ended before it was as
/// small as asked for although no number of iterations was given.
void require_solved(const SolveResult& result, const SolveTask& task, const std::string& matrix);
}  // namespace sparsecast::solving
