#pragma once
// An iteration of a solver on a cluster: its products by the cluster's own models, the passes over each process's share
// of the vectors at the bandwidth of its node, and every sum as a reduction and a broadcast. CG, BiCGSTAB and GMRES are
// PETSc's (cluster_petsc_iteration.hpp), whose passes are not fused; the others are as our own solver makes them.

#include "answers/cluster_petsc_iteration.hpp"
#include "cluster/models/message_curves.hpp"
#include "solving/method.hpp"

namespace sparsecast::answers {
/// What an iteration takes beside its products.
struct ClusterWork {
  double vectors_s = 0, reductions_s = 0;  ///< block-Jacobi's substitutions are among vectors_s
};

/// What a product of PETSc's matrix type takes over the csr kernel's, and AIJ's, whose factors a block-Jacobi
/// preconditioner substitutes with; of each how far it is believed, a factor.
struct ProductTimes {
  double product = 1, substituted = 1;
  double doubt = 1;
};

/// Makes forecasts of products those of iterations, and tells what was added to each. Error unavailable for transposed
/// products and blocks of vectors, and for a block-Jacobi preconditioner of a method that is not PETSc's.
[[nodiscard]] std::vector<ClusterWork> add_solver(std::vector<cluster::ClusterForecast>& forecasts,
                                                  const cluster::ClusterProfile& profile, std::int64_t rows,
                                                  const solving::Method& method, PetscPreconditioner preconditioner,
                                                  const ProductTimes& times = {});
}  // namespace sparsecast::answers
