#include "cluster/models/nonnegative_fit.hpp"

#include <gtest/gtest.h>

namespace sparsecast::cluster {
namespace {
TEST(NonnegativeFit, FindsCoefficientsAndKeepsThePriorWhereDataAreSilent) {
  const std::vector<std::vector<double>> rows{{1, 0, 2}, {0, 0, 1}, {3, 0, 1}};
  const std::vector<double> y{2 + 6, 3, 6 + 3};
  const std::vector<double> prior{0, 5, 0};
  const auto c = fit_nonnegative(rows, y, prior, 1e-9);
  EXPECT_NEAR(c[0], 2, 1e-5);
  EXPECT_EQ(c[1], 5);
  EXPECT_NEAR(c[2], 3, 1e-5);
  EXPECT_EQ(fit_nonnegative({}, {}, prior, 1), prior);
}

TEST(NonnegativeFit, NeverGoesBelowZero) {
  for (const double c :
       fit_nonnegative({{1, 1}, {1, 2}, {1, 3}}, std::vector<double>{3, 2, 1}, std::vector<double>{0, 0}, 1e-9))
    EXPECT_GE(c, 0);
}
}  // namespace
}  // namespace sparsecast::cluster
