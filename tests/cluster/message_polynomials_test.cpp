#include "cluster/models/message_polynomials.hpp"

#include <gtest/gtest.h>

#include <cmath>

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
  // Between the measurements and beyond their processes; a size beyond the largest takes as much longer as it is
  // larger.
  for (const double bytes : {10.0, 3000.0, 1e6})
    EXPECT_NEAR(*polynomials.seconds(MessagePattern::grid, 3, 24, bytes) / polynomial_truth(3, 24, bytes), 1, 1e-9)
        << bytes;
  EXPECT_NEAR(*polynomials.seconds(MessagePattern::grid, 8, 64, 3000) / polynomial_truth(8, 64, 3000), 1, 1e-9);
  EXPECT_NEAR(*polynomials.seconds(MessagePattern::grid, 2, 16, 1 << 24) / (8 * polynomial_truth(2, 16, 1 << 21)), 1,
              1e-9);
  EXPECT_FALSE(polynomials.seconds(MessagePattern::halo, 1, 4, 8).has_value());
}
}  // namespace
}  // namespace sparsecast::cluster
