#pragma once
// What products take in the iterations of a solver, beside those of the csr kernel that a cluster's profile knows.

#include <sparsecast/answers/cluster.hpp>

#include "answers/cluster_iterations.hpp"
#include "cluster/cluster_profile.hpp"

namespace sparsecast::answers {
/// Of the matrix type of PETSc's that the request names, and of the preconditioner's factors, by this host's own
/// profile; those of the csr kernel, with a wider doubt and a remark, where it has none, or another host's.
[[nodiscard]] ProductTimes product_times(const ClusterPredictRequest& request, const cluster::ClusterProfile& profile,
                                         PetscPreconditioner preconditioner, const Matrix& matrix);
}  // namespace sparsecast::answers
