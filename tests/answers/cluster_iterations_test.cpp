// A solver's iteration on a cluster: its products, the passes over a process's share, and its sums as messages.

#include "answers/cluster_iterations.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

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
  forecast.seconds = 1e-3;
  forecast.core_s = 8e-4;
  forecast.communication_s = 2e-4;
  return forecast;
}

TEST(OnCluster, AnIterationOfConjugateGradientsAddsTwelveStreamsAndTwoSums) {
  std::vector<cluster::ClusterForecast> forecasts{products(1), products(4)};
  const std::vector<ClusterWork> work =
      add_solver(forecasts, four_processes(), 1'000'000, parse_method("cg"), Preconditioning::diagonal);
  ASSERT_EQ(work.size(), 2U);
  EXPECT_NEAR(work[0].vectors_s, 12 * 8e6 / 1e10, 1e-12);
  EXPECT_EQ(work[0].reductions_s, 0) << "alone nobody waits";
  EXPECT_NEAR(work[1].vectors_s, 12 * 2e6 / 5e9, 1e-12) << "a quarter of the rows, at a share of the node";
  EXPECT_NEAR(work[1].reductions_s, 2 * 2e-5, 1e-12) << "a reduction and a broadcast each";
  EXPECT_NEAR(forecasts[1].seconds, 1e-3 + work[1].vectors_s + work[1].reductions_s, 1e-12);
  EXPECT_NEAR(forecasts[1].core_s + forecasts[1].communication_s, forecasts[1].seconds, 1e-12);
}

TEST(OnCluster, BicgstabMultipliesTwice) {
  std::vector<cluster::ClusterForecast> forecasts{products(4)};
  const std::vector<ClusterWork> work =
      add_solver(forecasts, four_processes(), 1000, parse_method("bicgstab"), Preconditioning::none);
  EXPECT_NEAR(forecasts[0].seconds, 2e-3 + work[0].vectors_s + work[0].reductions_s, 1e-12);
}

TEST(OnCluster, ProductsThatClustersDoNotMakeAreRefused) {
  std::vector<cluster::ClusterForecast> forecasts{products(1)};
  for (const char* method : {"pagerank", "lobpcg:2"})
    EXPECT_THROW((void)add_solver(forecasts, four_processes(), 1000, parse_method(method), Preconditioning::none),
                 Error);
}

}  // namespace
}  // namespace sparsecast::test
