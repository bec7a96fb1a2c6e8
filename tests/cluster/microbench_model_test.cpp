#include "cluster/models/microbench_model.hpp"

#include <gtest/gtest.h>

#include "made_up.hpp"

namespace sparsecast::cluster {
namespace {
TEST(ClusterModels, MicrobenchAddsUpTableOne) {
  const ClusterProfile p = made_up_profile();
  SchemeFeatures f;
  f.scheme = Scheme::two_d_uniform;
  f.rows = 1000;
  f.ranks.resize(1);
  f.ranks[0].own = {1000, 1000, 5000, 0, 0, 0, 0, {0, 0, 100}};
  const auto forecast = microbench_model(p)->forecast(f, LocalFormat::csr);
  ASSERT_TRUE(forecast);
  // FMA; 2·rpp row pointers, columns and values, y, hits of x at 20 GB/s; 100 misses at the latency of a larger ring.
  const double expected = 1e-10 * 5000 + (2 * 1000 * 4 + 5000 * 12 + 1000 * 8 + 4900 * 8) / 2e10 + 100 * 1e-7;
  EXPECT_NEAR(forecast->core_s, expected, 1e-12);
}
}  // namespace
}  // namespace sparsecast::cluster
