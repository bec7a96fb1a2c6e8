// Machines of the catalogue, and products there.

#include "cluster/machine/machine.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <sparsecast/error.hpp>

namespace sparsecast::cluster {
namespace {

TEST(Machine, AllOfTheCatalogueAreOfKnownParts) {
  const std::vector<std::string> names = machine_names();
  ASSERT_GE(names.size(), 10U);
  for (const std::string& name : names) {
    const Machine machine = machine_of(name);
    EXPECT_GT(machine.parts.deciders(), 0) << name;
    EXPECT_GT(machine.ranks, 0) << name;
    EXPECT_GE(machine.memory_bytes, std::int64_t{32} << 30) << name;
    EXPECT_LE(machine.memory_bytes, std::int64_t{1} << 40) << name;
    ASSERT_NE(machine.parts.network, nullptr) << name;
    EXPECT_LE(counts_of_nodes(machine).back() * machine.ranks, most_processes) << name;
  }
  EXPECT_THROW((void)machine_of("fugak"), Error);
}

TEST(Machine, MoreNodesMultiplyFasterUntilMessagesAreMost) {
  const Machine machine = machine_of("fugaku");
  PredictOptions options;
  for (const int nodes : {1, 64, 4096}) options.processes.push_back(nodes * machine.ranks);
  const Prediction prediction = predict_machine(stencil_of("stencil27", 1000), machine, options);
  ASSERT_EQ(prediction.forecasts.size(), 3U);
  for (const ClusterForecast& f : prediction.forecasts) {
    EXPECT_LT(f.low_s, f.seconds);
    EXPECT_GT(f.high_s, f.seconds);
    EXPECT_NEAR(f.core_s + f.communication_s, f.seconds, 1e-12);
    EXPECT_FALSE(f.extrapolated);
  }
  EXPECT_EQ(prediction.forecasts[0].communication_s < prediction.forecasts[0].core_s, true);
  EXPECT_LT(prediction.forecasts[1].seconds, prediction.forecasts[0].seconds / 30);
  EXPECT_LT(prediction.forecasts[2].seconds, prediction.forecasts[1].seconds);
  // 27 entries of 12 bytes in each of 1e9 rows at 1.024 TB/s are 0.32 s; no machine is faster than its memory.
  EXPECT_GT(prediction.forecasts[0].seconds, 0.32);
  EXPECT_LT(prediction.forecasts[0].seconds, 1.0);
}

// A rank has a memory domain, or an accelerator, of its own; one that is a core shares its node's memory.
TEST(Machine, FewRanksHaveNoMoreThanTheirShareOfANode) {
  PredictOptions options;
  options.processes = {1, 4};
  for (const char* name : {"fugaku", "juwels-booster"}) {
    const Prediction few = predict_machine(stencil_of("poisson3d", 600), machine_of(name), options);
    ASSERT_EQ(few.forecasts.size(), 2U);
    EXPECT_NEAR(few.forecasts[0].core_s / few.forecasts[1].core_s, 4, 0.1) << name;
  }
  options.processes = {1, 128, 200};
  const Prediction cores = predict_machine(stencil_of("poisson3d", 200), machine_of("archer2"), options);
  ASSERT_EQ(cores.forecasts.size(), 3U);
  const ClusterForecast &one = cores.forecasts[0], &all = cores.forecasts[1];
  EXPECT_TRUE(one.extrapolated);
  EXPECT_FALSE(all.extrapolated);
  EXPECT_NEAR(one.core_s / all.core_s, std::sqrt(128), 0.5);
  EXPECT_LE(one.low_s, all.seconds);  // all of the node's bandwidth
  EXPECT_GE(one.high_s, 128 * all.core_s);
}

TEST(Machine, NodesThatItDoesNotHaveAreExtrapolated) {
  const Machine machine = machine_of("juwels-booster");
  PredictOptions options;
  options.processes = {4 * 2000};
  EXPECT_TRUE(predict_machine(stencil_of("poisson3d", 2000), machine, options).forecasts.at(0).extrapolated);
  options.schemes = {Scheme::two_d_uniform};
  EXPECT_THROW((void)predict_machine(stencil_of("poisson3d", 2000), machine, options), Error);
}

}  // namespace
}  // namespace sparsecast::cluster
