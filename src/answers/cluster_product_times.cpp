#include "answers/cluster_product_times.hpp"

#include <optional>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/structure.hpp>
#include <sparsecast_constants.hpp>
#include <string>

#include "answers/cluster_petsc_products.hpp"
#include "answers/inputs.hpp"
#include "cluster/node/own_node.hpp"

namespace sparsecast::answers {
namespace {
struct ProductsHere {
  std::optional<PetscProducts> products;  ///< what PETSc's take over the csr kernel's, by this host's own profile
  std::string missing;                    ///< why there are none
};

ProductsHere products_here(const Matrix& matrix, const cluster::ClusterProfile& profile, const Listener& listener) {
  if (!cluster::is_measured(profile.source)) return {{}, "the cluster was not measured"};
  cluster::OwnNode here(profile.cores_per_node, profile.threads);
  if (const double ratio = here.ratio_to(profile); ratio > 0 && !cluster::is_same_host(ratio))
    return {{}, "this host's profile is not of the host where the cluster was calibrated"};
  try {
    const Prediction all = predict({.matrix = matrix, .threads = 1, .no_store = true, .listener = listener});
    return {petsc_products(analyze(matrix), all.forecasts, profile.node.fma_s), "this host's profile lacks csr"};
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) throw;
    return {{}, "this host has no profile of its own"};
  }
}
}  // namespace

ProductTimes product_times(const ClusterPredictRequest& request, const cluster::ClusterProfile& profile,
                           PetscPreconditioner preconditioner, const Matrix& matrix) {
  const PetscMatrix type = petsc_matrix(request.petsc_matrix);
  const bool substitutes = preconditioner == PetscPreconditioner::block_jacobi;
  if (type == PetscMatrix::csr && !substitutes) return {};
  const auto doubt = [&](double products) { return type == PetscMatrix::csr ? 1 : products; };
  const ProductsHere here = products_here(matrix, profile, request.listener);
  if (here.products) return {here.products->of(type), here.products->aij, doubt(constants::petsc_products_doubt)};
  remark(request.listener,
         here.missing + ": PETSc's products are taken for the csr kernel's, and less is known of them");
  return {1, 1, doubt(constants::petsc_products_unknown)};
}
}  // namespace sparsecast::answers
