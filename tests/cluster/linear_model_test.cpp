#include "cluster/models/linear_model.hpp"

#include <gtest/gtest.h>

#include "made_up.hpp"

namespace sparsecast::cluster {
namespace {
TEST(ClusterModels, LinearFindsALineBetweenTwoNumbersOfRows) {
  const ClusterProfile p = made_up_profile();
  const SchemeFeatures f = target_features(p, 4);
  const auto forecast = linear_model(p)->forecast(f, LocalFormat::csr);
  ASSERT_TRUE(forecast);
  EXPECT_NEAR(forecast->seconds / target_truth(f), 1, 0.1);
  SchemeFeatures other = f;
  other.scheme = Scheme::local_rows;
  EXPECT_FALSE(linear_model(p)->forecast(other, LocalFormat::csr));
  EXPECT_FALSE(linear_model(p)->forecast(f, LocalFormat::coo));  // no runs in that format
}
}  // namespace
}  // namespace sparsecast::cluster
