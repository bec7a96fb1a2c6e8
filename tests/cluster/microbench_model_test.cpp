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
  // COO: rows, columns, values, y and the hits of x, one of each per non-zero.
  const double coo = 1e-10 * 5000 + (5000 * (4 + 4 + 8 + 8) + 4900 * 8) / 2e10 + 100 * 1e-7;
  EXPECT_NEAR(microbench_model(p)->forecast(f, LocalFormat::coo)->core_s, coo, 1e-12);
}

TEST(ClusterModels, MicrobenchTakesTheStreamOfItsPrecision) {
  ClusterProfile p = made_up_profile();
  p.node.bandwidth.push_back({4, 1, {1e4, 1e8}, {1e10, 1e10}});
  SchemeFeatures f;
  f.scheme = Scheme::two_d_uniform;
  f.rows = 1000;
  f.precision = Precision::single_;
  f.ranks.resize(1);
  f.ranks[0].own = {1000, 1000, 5000, 0, 0, 0, 0, {}, 4};
  const double bytes = 2 * 1000 * 4 + 5000 * 8 + 1000 * 4 + 5000 * 4;
  EXPECT_NEAR(microbench_model(p)->forecast(f, LocalFormat::csr)->core_s, 1e-10 * 5000 + bytes / 1e10, 1e-12);
}

TEST(ClusterModels, MicrobenchAddsTheMessagesOfL1drToTheProduct) {
  ClusterProfile p = made_up_profile();
  SchemeFeatures f;
  f.scheme = Scheme::local_rows;
  f.processes = 4;
  f.rows = 400000;
  f.ranks.resize(4);
  for (RankFeatures& rank : f.ranks) rank.own = {100000, 100000, 500000, 0, 0, 0, 0, {}};
  f.load = {2, 1600, 0, 0, 0};
  // No exchange was measured: what is not known is not 0.
  EXPECT_FALSE(microbench_model(p)->forecast(f, LocalFormat::csr));
  for (const int neighbours : {2, 3})
    for (double bytes = 100; bytes <= 1 << 18; bytes *= 2)
      p.messages.push_back({MessagePattern::halo, 4, 1, bytes, neighbours, neighbours * (1e-6 + bytes * 1e-9)});
  const auto forecast = microbench_model(p)->forecast(f, LocalFormat::csr);
  ASSERT_TRUE(forecast);
  EXPECT_GT(forecast->core_s, 1e-4);  // far longer than they travel, and yet they are not hidden
  const double sent = 2 * (1e-6 + 800e-9);
  EXPECT_NEAR(forecast->communication_s, sent, 0.01 * sent);  // a polynomial is fitted to the messages
  EXPECT_DOUBLE_EQ(forecast->seconds, forecast->core_s + forecast->communication_s);
}
}  // namespace
}  // namespace sparsecast::cluster
