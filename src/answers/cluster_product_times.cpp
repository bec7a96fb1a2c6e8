#include "answers/cluster_product_times.hpp"

#include <optional>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/structure.hpp>
#include <sparsecast_constants.hpp>

#include "answers/cluster_petsc_products.hpp"
#include "answers/inputs.hpp"

namespace sparsecast::answers {
namespace {
// What PETSc's products take over the csr kernel's, by this host's own profile.
std::optional<PetscProducts> products_here(const Matrix& matrix, const cluster::ClusterProfile& profile,
                                           const Listener& listener) {
  if (!cluster::is_measured(profile.source)) return std::nullopt;
  try {
    const Prediction all = predict({.matrix = matrix, .threads = 1, .no_store = true, .listener = listener});
    return petsc_products(analyze(matrix), all.forecasts, profile.node.fma_s);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) throw;
    return std::nullopt;
  }
}

}  // namespace

ProductTimes product_times(const ClusterPredictRequest& request, const cluster::ClusterProfile& profile,
                           PetscPreconditioner preconditioner, const Matrix& matrix) {
  const PetscMatrix type = petsc_matrix(request.petsc_matrix);
  const bool substitutes = preconditioner == PetscPreconditioner::block_jacobi;
  if (type == PetscMatrix::csr && !substitutes) return {};
  if (const auto here = products_here(matrix, profile, request.listener))
    return {here->of(type), here->aij, type == PetscMatrix::csr ? 1 : constants::petsc_products_doubt};
  remark(request.listener, "this host has no profile of its own: PETSc's products are taken for the csr kernel's");
  return {};
}
}  // namespace sparsecast::answers
