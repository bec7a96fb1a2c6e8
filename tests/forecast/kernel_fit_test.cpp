#include "forecast/learned/kernel_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sparsecast::forecast {
namespace {
TEST(FewErrors, LeaveADoubtThatShrinksWithTheirNumber) {
  EXPECT_DOUBLE_EQ(width_of_few({}, 1), 1);
  EXPECT_DOUBLE_EQ(width_of_few({0, 0, 0}, 1), 0.5);
  EXPECT_DOUBLE_EQ(width_of_few(std::vector<double>(99, 0.01), 1), 0.1);
  EXPECT_DOUBLE_EQ(mean_of_few(Eigen::VectorXd(), 1), 0.5);
  EXPECT_DOUBLE_EQ(mean_of_few(Eigen::VectorXd::Zero(4), 1), 0.1);
  EXPECT_DOUBLE_EQ(mean_of_few(Eigen::VectorXd::Constant(1, -0.1), 1), 0.3);
}

TEST(FewErrors, OneThatIsOddDoesNotSetTheWidth) {
  EXPECT_DOUBLE_EQ(width_of_few({0.2, 0.2, 0.2, 5}, 0), 0.8);
  EXPECT_DOUBLE_EQ(width_of_few({0.2, 0.2, 0.2, 0.3}, 0), 0.3);
  EXPECT_DOUBLE_EQ(width_of_few({3, 4, 5}, 0), 5) << "all are large";
  // Of many the quantile is none of the largest, and stays.
  std::vector<double> many(40, 0.2);
  for (int k = 0; k < 8; ++k) many[static_cast<std::size_t>(k)] = 5 + k;
  EXPECT_DOUBLE_EQ(width_of_few(many, 0), 9);
}
}  // namespace
}  // namespace sparsecast::forecast
