// A solver's iteration on a cluster: its products, the passes over a process's share, and its sums as messages.

#include "answers/cluster_iterations.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

#include "answers/cluster_petsc_products.hpp"
#include "answers/cluster_product_times.hpp"
#include "support/matrices.hpp"

namespace sparsecast::test {
namespace {

using namespace answers;
using namespace solving;

cluster::ClusterProfile four_processes() {
  cluster::ClusterProfile profile;
  profile.cores_per_node = 4;
  profile.node.bandwidth = {{8, 1, {1e3, 1e9}, {1e10, 1e10}}, {8, 4, {1e3, 1e9}, {5e9, 5e9}}};
  for (const double bytes : {8.0, 1024.0})
    for (const auto pattern : {cluster::MessagePattern::reduce, cluster::MessagePattern::bcast})
      profile.messages.push_back({pattern, 4, 1, bytes, 0, 1e-5});
  return profile;
}

cluster::ClusterForecast products(int processes) {
  cluster::ClusterForecast forecast;
  forecast.processes = processes;
  forecast.seconds = forecast.low_s = forecast.high_s = 1e-3;
  forecast.core_s = 8e-4;
  forecast.communication_s = 2e-4;
  return forecast;
}

TEST(OnCluster, AnIterationOfPetscsConjugateGradientsAddsSeventeenStreamsAndThreeSums) {
  std::vector<cluster::ClusterForecast> forecasts{products(1), products(4)};
  const std::vector<ClusterWork> work =
      add_solver(forecasts, four_processes(), 1'000'000, parse_method("cg"), PetscPreconditioner::jacobi);
  ASSERT_EQ(work.size(), 2U);
  EXPECT_NEAR(work[0].vectors_s, 17 * 8e6 / 1e10, 1e-12);
  EXPECT_EQ(work[0].reductions_s, 0) << "alone nobody waits";
  EXPECT_NEAR(work[1].vectors_s, 17 * 2e6 / 5e9, 1e-12) << "a quarter of the rows, at a share of the node";
  EXPECT_NEAR(work[1].reductions_s, 3 * 2e-5, 1e-12) << "a reduction and a broadcast each";
  EXPECT_NEAR(forecasts[1].seconds, 1e-3 + work[1].vectors_s + work[1].reductions_s, 1e-12);
  EXPECT_NEAR(forecasts[1].core_s + forecasts[1].communication_s, forecasts[1].seconds, 1e-12);
}

TEST(OnCluster, BicgstabMultipliesTwice) {
  std::vector<cluster::ClusterForecast> forecasts{products(4)};
  const std::vector<ClusterWork> work =
      add_solver(forecasts, four_processes(), 1000, parse_method("bicgstab"), PetscPreconditioner::none);
  EXPECT_NEAR(forecasts[0].seconds, 2e-3 + work[0].vectors_s + work[0].reductions_s, 1e-12);
}

TEST(OnCluster, ProductsThatClustersDoNotMakeAreRefused) {
  std::vector<cluster::ClusterForecast> forecasts{products(1)};
  for (const char* method : {"pagerank", "lobpcg:2"})
    EXPECT_THROW((void)add_solver(forecasts, four_processes(), 1000, parse_method(method), PetscPreconditioner::none),
                 Error);
}

// By PETSc 3.18's KSPSolve_CG, _BCGS and _GMRES, counted by hand.
TEST(OnCluster, PetscsMethodsAreCountedAsItsSourcesHaveThem) {
  const auto cg = petsc_iteration(parse_method("cg"), PetscPreconditioner::block_jacobi);
  EXPECT_EQ(cg->products, 1);
  EXPECT_EQ(cg->applications, 1);
  EXPECT_EQ(cg->reads(), 11);
  EXPECT_EQ(cg->writes(), 3);
  EXPECT_EQ(cg->sums, 3);
  const auto bcgs = petsc_iteration(parse_method("bicgstab"), PetscPreconditioner::jacobi);
  EXPECT_EQ(bcgs->products, 2);
  EXPECT_EQ(bcgs->reads(), 21);
  EXPECT_EQ(bcgs->writes(), 6);
  EXPECT_EQ(bcgs->sums, 4);
  const auto gmres = petsc_iteration(parse_method("gmres:1"), PetscPreconditioner::jacobi);
  EXPECT_EQ(gmres->products, 2) << "one of the iteration, one of the residual behind a restart";
  EXPECT_EQ(gmres->sums, 3);
  EXPECT_FALSE(petsc_iteration(parse_method("power"), PetscPreconditioner::none));
}

TEST(OnCluster, PetscsMethodsAreNamedAsItsCommandLineHasThem) {
  EXPECT_EQ(petsc_words(parse_method("cg"), PetscPreconditioner::jacobi), " -ksp_type cg -pc_type jacobi");
  EXPECT_EQ(petsc_words(parse_method("bicgstab"), PetscPreconditioner::none), " -ksp_type bcgs -pc_type none");
  EXPECT_EQ(petsc_words(parse_method("gmres:20"), PetscPreconditioner::block_jacobi),
            " -ksp_type gmres -ksp_gmres_restart 20 -pc_type bjacobi");
}

TEST(OnCluster, WhatMemoryBringsFastIsAddedOneByOne) {
  const auto cg = petsc_iteration(parse_method("cg"), PetscPreconditioner::none);
  const double vector = 8e6;
  EXPECT_NEAR(cg->seconds(vector, 1e9, 1e-12), (cg->reads() + cg->writes()) * vector / 1e9, 1e-9);
  // Three dot products and norms of a million entries are chains of as many additions.
  EXPECT_GT(cg->seconds(vector, 1e15, 1e-10), 3 * 1e6 * 1e-10);
}

TEST(OnCluster, BlockJacobiSubstitutesWithinTheBlock) {
  std::vector<cluster::ClusterForecast> plain{products(4)}, blocks{products(4)};
  (void)add_solver(plain, four_processes(), 1000, parse_method("cg"), PetscPreconditioner::none);
  const auto work = add_solver(blocks, four_processes(), 1000, parse_method("cg"), PetscPreconditioner::block_jacobi);
  EXPECT_GT(blocks[0].seconds, plain[0].seconds + 8e-4) << "more than a local product";
  EXPECT_GT(work[0].vectors_s, 8e-4);
  EXPECT_LT(blocks[0].low_s, blocks[0].seconds);
  EXPECT_GT(blocks[0].high_s, blocks[0].seconds);
  EXPECT_THROW(
      (void)add_solver(plain, four_processes(), 1000, parse_method("power"), PetscPreconditioner::block_jacobi), Error);
  EXPECT_THROW((void)petsc_preconditioner("ilu"), Error);
}

// Of t60k, 60,005 rows of up to three entries, whose lengths are foreseen; and of 1,000 rows whose lengths are not.
TEST(OnCluster, ProductsOfAijWaitForTheEndsOfRows) {
  Structure foreseen;
  foreseen.rows = 1000;
  foreseen.mispredicted_rows = 0;
  Structure unforeseen = foreseen;
  unforeseen.mispredicted_rows = 0.5;
  Forecast csr, sell;
  csr.kernel = "csr";
  csr.seconds = 10e-6;
  csr.parts = {{Term::stream, 4e-6, 0}, {Term::x_gather, 1e-6, 0}, {Term::row_ends, 5e-6, 0}};
  sell.kernel = "sell";
  sell.seconds = 5e-6;
  const double fma_s = 0.2e-9;
  const auto without = petsc_products(foreseen, {sell, csr}, fma_s),
             with = petsc_products(unforeseen, {sell, csr}, fma_s);
  ASSERT_TRUE(without && with);
  EXPECT_DOUBLE_EQ(without->plan, 0.5);
  // A mispredicted branch takes some twenty cycles: 5 to 6 ns at 3.7 GHz.
  EXPECT_NEAR((with->aij - without->aij) * csr.seconds, 500 * 5.6e-9, 500 * 0.4e-9);
  EXPECT_DOUBLE_EQ(with->of(PetscMatrix::csr), 1);
  EXPECT_DOUBLE_EQ(with->of(PetscMatrix::aij), with->aij);
  EXPECT_DOUBLE_EQ(with->of(PetscMatrix::sparsecast), 0.5);
  EXPECT_FALSE(petsc_products(foreseen, {sell}, fma_s));
  EXPECT_THROW((void)petsc_matrix("baij"), Error);
}

// No profile of the host says what PETSc's products take there: the csr kernel's, and by a wide interval.
TEST(OnCluster, ProductsThatAreNotKnownAreSaidAndWide) {
  cluster::ClusterProfile profile = four_processes();
  profile.source = "simulated:of-a-platform";
  std::string said;
  ClusterPredictRequest request{.petsc_matrix = "aij"};
  request.listener.remark = [&](std::string_view line) { said += line; };
  const Matrix matrix = random_matrix(100, 100, 400, 1);
  const ProductTimes times = product_times(request, profile, PetscPreconditioner::jacobi, matrix);
  EXPECT_EQ(times.product, 1);
  EXPECT_GE(times.doubt, 2);
  EXPECT_NE(said.find("less is known"), std::string::npos) << said;
  request.petsc_matrix.clear();
  EXPECT_EQ(product_times(request, profile, PetscPreconditioner::jacobi, matrix).doubt, 1);
}

TEST(OnCluster, AnIterationTakesTheProductsOfItsMatrixType) {
  std::vector<cluster::ClusterForecast> plain{products(4)}, aij{products(4)};
  plain[0].low_s = aij[0].low_s = 0.9e-3;
  plain[0].high_s = aij[0].high_s = 1.1e-3;
  (void)add_solver(plain, four_processes(), 1000, parse_method("cg"), PetscPreconditioner::none);
  (void)add_solver(aij, four_processes(), 1000, parse_method("cg"), PetscPreconditioner::none, {2, 2, 1.3});
  EXPECT_NEAR(aij[0].seconds - plain[0].seconds, 8e-4, 1e-9) << "the local product once more";
  EXPECT_LT(aij[0].low_s / aij[0].seconds, plain[0].low_s / plain[0].seconds);
  EXPECT_GT(aij[0].high_s / aij[0].seconds, plain[0].high_s / plain[0].seconds);
  // The substitutions are AIJ's, whichever type multiplies.
  std::vector<cluster::ClusterForecast> fast{products(4)}, slow{products(4)};
  const auto work = add_solver(fast, four_processes(), 1000, parse_method("cg"), PetscPreconditioner::block_jacobi,
                               {0.5, 2, 1.3}),
             same = add_solver(slow, four_processes(), 1000, parse_method("cg"), PetscPreconditioner::block_jacobi,
                               {2, 2, 1.3});
  EXPECT_NEAR(work[0].vectors_s, same[0].vectors_s, 1e-12);
}

}  // namespace
}  // namespace sparsecast::test
