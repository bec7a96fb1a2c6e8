
#include <gtest/gtest.h>

#include <cmath>

#include "forecast/learned/kernel_observations.hpp"
#include "forecast/physical/workload.hpp"
#include "forecast/roof.hpp"

namespace sparsecast {
namespace {

using forecast::Observations;
using forecast::Roof;
using forecast::Workload;

// A host that reads 10 GB/s from the caches and 5 from memory.
Profile profile() {
  Profile profile;
  profile.curves.push_back({"read_bandwidth", 1, {1e5, 1e7, 1e8, 1e9}, {10e9, 10e9, 5e9, 5e9}});
  return profile;
}

Workload of_bytes(double bytes, double misses = 0) {
  Workload w;
  w.exact = true;
  w.format_bytes = bytes;
  w.misses[2] = misses;
  return w;
}

Observations seen(const std::vector<std::pair<Workload, double>>& products) {
  Observations observations;
  observations.log_seconds.resize(static_cast<Eigen::Index>(products.size()));
  for (std::size_t i = 0; i < products.size(); ++i) {
    observations.workloads.push_back(products[i].first);
    observations.families.push_back(static_cast<int>(i));
    observations.log_seconds[static_cast<Eigen::Index>(i)] = std::log(products[i].second);
  }
  return observations;
}

TEST(Roof, IsBetweenTheFastestAndTheSlowestRatesThatWereMeasured) {
  // In the caches one product at their bandwidth and one at a third of it; nothing from memory.
  const Roof roof(profile(), 1, seen({{of_bytes(1e7), 1e-3}, {of_bytes(5e6), 1.5e-3}}), 10e9);
  const Workload large = of_bytes(1e9);
  EXPECT_NEAR(roof.least(large), 0.1 / 1.25, 1e-12);
  EXPECT_NEAR(roof.most(large), 3 * 0.2 * 1.25, 1e-9) << "three times as slow as memory reads, and a quarter more";
}

TEST(Roof, GrantsEveryReadOfXThatMissesTheCachesALine) {
  const Roof roof(profile(), 1, seen({{of_bytes(1e7), 1e-3}}), 10e9);
  EXPECT_NEAR(roof.most(of_bytes(1e9, 1e9 / 64)), 2 * roof.most(of_bytes(1e9)), 1e-9);
}

TEST(Roof, SaysNothingWhereNoRecordTells) {
  // Starting the product is most of the time of a small matrix, which says nothing of large ones.
  const Roof small(profile(), 1, seen({{of_bytes(1e3), 1e-5}}), 1e8);
  EXPECT_TRUE(std::isinf(small.most(of_bytes(1e9))));
  const Roof large(profile(), 1, seen({{of_bytes(1e7), 1e-3}}), 10e9);
  EXPECT_TRUE(std::isinf(large.most(of_bytes(1e3))));
}

}  // namespace
}  // namespace sparsecast
