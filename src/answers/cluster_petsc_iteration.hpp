#pragma once
// What one iteration of PETSc's Krylov methods goes through: products, applications of the preconditioner, passes over
// vectors as its vector operations make them, one after the other, and sums over all processes.

#include <optional>
#include <string>

#include "solving/method.hpp"

namespace sparsecast::answers {
enum class PetscPreconditioner { none, jacobi, block_jacobi };
/// "none", "jacobi", "bjacobi"; empty: jacobi. Error usage for another one.
[[nodiscard]] PetscPreconditioner petsc_preconditioner(const std::string& name);

struct PetscIteration {
  double products = 0, applications = 0;
  double reads = 0, writes = 0;  ///< vectors, without products and block-Jacobi
  double sums = 0;               ///< over all processes
  double calls = 0;              ///< vector operations
  double held = 0;               ///< vectors that an iteration goes through
};
/// Nothing for methods that are not PETSc's here. From the sources of PETSc 3.18 (src/ksp/ksp/impls): norms of the
/// preconditioned residual, as is its default.
[[nodiscard]] std::optional<PetscIteration> petsc_iteration(const solving::Method& method,
                                                            PetscPreconditioner preconditioner);
}  // namespace sparsecast::answers
