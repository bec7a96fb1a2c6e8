#include "cluster/models/svr_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/parts.hpp"

namespace sparsecast::cluster {
namespace {
// 2du on 4 processes. The time is a power law of the attributes, a plane in the regression's logarithms.
SchemeFeatures power_law_features(double rows, double row_length) {
  SchemeFeatures f;
  f.scheme = Scheme::two_d_uniform;
  f.processes = 4;
  f.rows = static_cast<std::int64_t>(4 * rows);
  f.attributes = {rows, rows * row_length, row_length, row_length / (4 * rows)};
  return f;
}
double power_law_truth(double rows, double row_length) {
  return 2e-9 * std::pow(rows, 0.95) * std::pow(row_length, 0.8);
}

TEST(ClusterModels, SvrFindsThePowerLawOfItsRuns) {
  ClusterProfile p;
  for (double rows = 100; rows <= 1e5; rows *= 2)
    for (const double length : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0})
      p.runs.push_back(
          {"made up", false, LocalFormat::csr, 1, power_law_truth(rows, length), 0, power_law_features(rows, length)});
  const auto svr = svr_model(p);
  // Matrices between the trained ones. The regression does not look at errors of less than 1 % of a factor e.
  for (const double rows : {300.0, 5000.0, 70000.0})
    for (const double length : {1.5, 6.0, 25.0}) {
      const auto forecast = svr->forecast(power_law_features(rows, length), LocalFormat::csr);
      if (!forecast) SKIP_OR_FAIL(test::parts::svm);
      EXPECT_NEAR(forecast->seconds / power_law_truth(rows, length), 1, 0.02) << rows << " rows of " << length;
      EXPECT_EQ(forecast->core_s, 0) << "it knows the whole only";
    }
}

TEST(ClusterModels, SvrTakesTheParametersThatTheProfileHolds) {
  ClusterProfile p;
  for (double rows = 100; rows <= 3200; rows *= 2)
    for (const double length : {1.0, 4.0})
      p.runs.push_back(
          {"made up", false, LocalFormat::csr, 1, power_law_truth(rows, length), 0, power_law_features(rows, length)});
  const auto whole = search_regressions(p);
  if (whole.empty()) SKIP_OR_FAIL(test::parts::svm);
  ASSERT_EQ(whole.size(), 1u);  // one scheme, format and count has runs
  EXPECT_EQ(whole[0].processes, 4);
  EXPECT_TRUE(whole[0].gamma >= 0.01 && whole[0].gamma <= 0.3) << whole[0].gamma;
  const auto seconds = [&] { return svr_model(p)->forecast(power_law_features(500, 2), LocalFormat::csr)->seconds; };
  p.regressions = whole;
  const double fine = seconds();
  EXPECT_NEAR(fine / power_law_truth(500, 2), 1, 0.05);
  // The same is found where nothing was searched yet and the whole grid is asked for.
  p.regressions.clear();
  EXPECT_DOUBLE_EQ(svr_model(p, true)->forecast(power_law_features(500, 2), LocalFormat::csr)->seconds, fine);
  p.regressions = whole;
  p.regressions[0].epsilon = 50;  // nothing is further off than that: one value for all
  EXPECT_GT(std::abs(std::log(seconds() / fine)), 0.05);
}
}  // namespace
}  // namespace sparsecast::cluster
