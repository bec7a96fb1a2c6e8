#pragma once
// What one iteration of PETSc's Krylov methods goes through: products, applications of the preconditioner, passes over
// vectors as its vector operations make them, one after the other, and sums over all processes.

#include <optional>
#include <string>
#include <vector>

#include "solving/method.hpp"

namespace sparsecast::answers {
enum class PetscPreconditioner { none, jacobi, block_jacobi };
/// "none", "jacobi", "bjacobi"; empty: jacobi. Error usage for another one.
[[nodiscard]] PetscPreconditioner petsc_preconditioner(const std::string& name);

/// One vector operation.
struct PetscPass {
  double reads = 0, writes = 0;  ///< vectors
  double adds = 0;               ///< additions of an entry that the loop waits for (petsc_pass_costs)
};

struct PetscIteration {
  double products = 0, applications = 0;
  double sums = 0;                ///< over all processes
  double held = 0;                ///< vectors that an iteration goes through
  double share = 1;               ///< of the passes that one iteration has: where they are of several
  std::vector<PetscPass> passes;  ///< without products and block-Jacobi

  /// Vectors read and written in an iteration.
  [[nodiscard]] double reads() const;
  [[nodiscard]] double writes() const;
  /// Of all passes over vectors of so many bytes: each as memory brings it or as its loop adds, whichever is longer.
  [[nodiscard]] double seconds(double vector_bytes, double bytes_per_s, double add_s) const;
};
/// Nothing for methods that are not PETSc's here. From the sources of PETSc 3.18 (src/ksp/ksp/impls): norms of the
/// preconditioned residual, as is its default.
[[nodiscard]] std::optional<PetscIteration> petsc_iteration(const solving::Method& method,
                                                            PetscPreconditioner preconditioner);
/// " -ksp_type gmres -ksp_gmres_restart 30 -pc_type bjacobi", of a method that petsc_iteration knows.
[[nodiscard]] std::string petsc_words(const solving::Method& method, PetscPreconditioner preconditioner);
}  // namespace sparsecast::answers
