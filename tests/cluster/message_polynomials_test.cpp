#include "cluster/models/message_polynomials.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace sparsecast::cluster {
namespace {
// Times whose logarithm is a polynomial of the logarithms, as the model's is.
double polynomial_truth(int nodes, int processes, double bytes) {
  const double s = std::log2(bytes), p = std::log2(processes), n = std::log2(nodes);
  return std::exp(-14 + 0.05 * s + 0.01 * s * s + 0.3 * p - 0.02 * p * p + 0.004 * s * p + 0.1 * n);
}

TEST(MessagePolynomials, FindThePolynomialOfTheMeasurements) {
  ClusterProfile profile;
  for (const int processes : {4, 8, 16, 32})
    for (const int nodes : {1, 2, 4})
      for (double bytes = 8; bytes <= 1 << 21; bytes *= 4)
        profile.messages.push_back(
            {MessagePattern::grid, processes, nodes, bytes, 0, polynomial_truth(nodes, processes, bytes)});
  const MessagePolynomials polynomials(profile);
  for (const MessageTime& m : profile.messages)
    EXPECT_NEAR(*polynomials.seconds(MessagePattern::grid, m.nodes, m.processes, m.bytes) / m.seconds, 1, 1e-9)
        << m.bytes;
  // Between the measurements; a size beyond the largest takes as much longer as it is larger, and a collective on more
  // processes as much longer as it has more rounds.
  for (const double bytes : {10.0, 3000.0, 1e6})
    EXPECT_NEAR(*polynomials.seconds(MessagePattern::grid, 3, 24, bytes) / polynomial_truth(3, 24, bytes), 1, 1e-9)
        << bytes;
  EXPECT_NEAR(*polynomials.seconds(MessagePattern::grid, 8, 64, 3000) / polynomial_truth(4, 32, 3000), 6.0 / 5, 1e-9);
  EXPECT_NEAR(*polynomials.seconds(MessagePattern::grid, 2, 16, 1 << 24) / (8 * polynomial_truth(2, 16, 1 << 21)), 1,
              1e-9);
  EXPECT_FALSE(polynomials.seconds(MessagePattern::halo, 1, 4, 8).has_value());
}

// What a quick calibration leaves: two counts, on one of which nothing is sent.
ClusterProfile of_two_counts() {
  ClusterProfile profile;
  for (const MessagePattern pattern : {MessagePattern::grid_reduce, MessagePattern::allgatherv})
    for (const int processes : {1, 4})
      for (double bytes = 8; bytes <= 1 << 20; bytes *= 4)
        profile.messages.push_back({pattern, processes, processes == 1 ? 1 : 2, bytes, 0,
                                    processes == 1 ? 2e-8 + bytes / 2e10 : 5e-5 + bytes / 1e9});
  for (const int neighbours : {2, 3})
    for (double bytes = 8; bytes <= 1 << 18; bytes *= 4)
      profile.messages.push_back({MessagePattern::halo, 4, 2, bytes, neighbours, 1e-6 * neighbours + bytes / 1e9});
  return profile;
}

TEST(MessagePolynomials, SayNothingWildBeyondTheirGrid) {
  const MessagePolynomials polynomials(of_two_counts());
  for (const double bytes : {8.0, 3000.0, 1e6, 1e8})
    for (const auto& [nodes, processes] :
         std::vector<std::pair<int, int>>{{1, 2}, {2, 4}, {5, 9}, {72, 144}, {500, 1000}, {9000, 65536}})
      for (const MessagePattern pattern : {MessagePattern::grid_reduce, MessagePattern::allgatherv}) {
        const double seconds = *polynomials.seconds(pattern, nodes, processes, bytes);
        // Latency and bytes over the bandwidth, as measured on 4; in 8 times the rounds at most.
        EXPECT_GT(seconds, 0.4 * (5e-5 + bytes / 1e9)) << bytes << " bytes, " << processes;
        EXPECT_LT(seconds, 8 * 3 * (5e-5 + bytes / 1e9)) << bytes << " bytes, " << processes;
      }
  // Six times as many messages as were ever sent at once.
  const double few = *polynomials.seconds(MessagePattern::halo, 2, 4, 1000, 3);
  EXPECT_NEAR(*polynomials.seconds(MessagePattern::halo, 72, 144, 1000, 18) / few, 6, 1e-9);
}

// A noisy fit lies below what was measured; with three neighbours the least with one does not bound it.
TEST(MessagePolynomials, StayWithinWhatWasMeasuredWithAsManyNeighbours) {
  ClusterProfile profile;
  std::map<int, std::pair<double, double>> measured;
  for (const int neighbours : {1, 2, 3})
    for (int k = 0; k < 8; ++k) {
      const double seconds = neighbours * 1e-5 * (k == 0 || k == 5 ? 1.6 : 1);  // a cubic dips below in between
      profile.messages.push_back({MessagePattern::halo, 4, 1, 8 * std::pow(4.0, k), neighbours, seconds});
      measured.try_emplace(neighbours, seconds, seconds);
      measured[neighbours] = {std::min(measured[neighbours].first, seconds),
                              std::max(measured[neighbours].second, seconds)};
    }
  const MessagePolynomials polynomials(profile);
  for (const auto& [neighbours, range] : measured)
    for (double bytes = 8; bytes < 100'000; bytes *= 1.5) {
      const double seconds = *polynomials.seconds(MessagePattern::halo, 1, 4, bytes, neighbours);
      EXPECT_GE(seconds, range.first * (1 - 1e-12)) << bytes << " bytes, " << neighbours;
      EXPECT_LE(seconds, range.second * (1 + 1e-12)) << bytes << " bytes, " << neighbours;
    }
}

TEST(MessagePolynomials, TakeCopiesOfOneProcessForNoMessages) {
  ClusterProfile alone = of_two_counts();
  std::erase_if(alone.messages, [](const MessageTime& m) { return m.processes > 1; });
  const MessagePolynomials polynomials(alone);
  EXPECT_TRUE(polynomials.seconds(MessagePattern::allgatherv, 1, 1, 800).has_value());
  EXPECT_FALSE(polynomials.seconds(MessagePattern::allgatherv, 1, 4, 800).has_value());
}
}  // namespace
}  // namespace sparsecast::cluster
