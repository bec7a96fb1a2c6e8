#include "forecast/learned/gaussian_process.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace sparsecast {
namespace {

struct Sample {
  Eigen::MatrixXd x;
  Eigen::VectorXd y;
  std::vector<int> groups;
};

// Points on a line in five families of six, y = sin.
Sample sine() {
  Sample s{Eigen::MatrixXd(30, 1), Eigen::VectorXd(30), {}};
  for (int i = 0; i < 30; ++i) {
    s.x(i, 0) = 0.1 * i;
    s.y[i] = std::sin(2 * s.x(i, 0));
    s.groups.push_back(i % 5);
  }
  return s;
}

forecast::Covariance covariance() {
  forecast::Covariance c;
  c.amplitude = 1;
  c.noise = 0.01;
  c.lengths = Eigen::VectorXd::Constant(1, 1.0);
  return c;
}

TEST(GaussianProcess, InterpolatesASmoothFunction) {
  const Sample s = sine();
  const Eigen::VectorXd weights = forecast::GaussianProcess(covariance(), s.x, s.groups).weights(s.y);
  const Eigen::MatrixXd at = Eigen::MatrixXd::Constant(1, 1, 1.234);
  EXPECT_NEAR((covariance()(at, s.x) * weights)[0], std::sin(2.468), 0.01);
}

// The down-date must equal a process that never saw the family.
TEST(GaussianProcess, LeavingOutAFamilyEqualsFittingWithoutIt) {
  const Sample s = sine();
  const forecast::GaussianProcess whole(covariance(), s.x, s.groups);
  for (int family = 0; family < 5; ++family) {
    Sample rest{Eigen::MatrixXd(24, 1), Eigen::VectorXd(24), std::vector<int>(24, 0)};
    for (int i = 0, r = 0; i < 30; ++i) {
      if (s.groups[static_cast<std::size_t>(i)] == family) continue;
      rest.x.row(r) = s.x.row(i);
      rest.y[r++] = s.y[i];
    }
    const Eigen::VectorXd expected = forecast::GaussianProcess(covariance(), rest.x, rest.groups).weights(rest.y);
    const Eigen::VectorXd weights = whole.weights_without(family, s.y);
    const Eigen::VectorXd means = whole.left_out_means(s.y);
    for (int i = 0, r = 0; i < 30; ++i) {
      if (s.groups[static_cast<std::size_t>(i)] == family) {
        EXPECT_EQ(weights[i], 0);
        EXPECT_NEAR(means[i], (covariance()(s.x.row(i), rest.x) * expected)[0], 1e-6);
      } else {
        EXPECT_NEAR(weights[i], expected[r++], 1e-6 * expected.cwiseAbs().maxCoeff());
      }
    }
  }
}

TEST(GaussianProcess, AFamilyWithoutObservationsChangesNothing) {
  const Sample s = sine();
  const forecast::GaussianProcess whole(covariance(), s.x, s.groups);
  EXPECT_LT((whole.weights_without(9, s.y) - whole.weights(s.y)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(ProcessMeans, SayOfAPointWhatCovarianceAndWeightsSay) {
  const Sample s = sine();
  const Eigen::VectorXd weights = forecast::GaussianProcess(covariance(), s.x, s.groups).weights(s.y);
  const forecast::ProcessMeans mean(s.x, {{covariance(), weights}});
  for (const double at : {-1.0, 0.0, 1.234, 7.0}) {
    const Eigen::MatrixXd point = Eigen::MatrixXd::Constant(1, 1, at);
    // Correlations are of single precision.
    EXPECT_NEAR(mean(point.row(0), point.row(0)), (covariance()(point, s.x) * weights)[0],
                1e-6 * weights.cwiseAbs().sum());
  }
}

// Seven processes, of which five are asked in one pass, over more points than a block holds.
TEST(ProcessMeans, AreTheMeanOfSeveral) {
  const Sample s = sine();
  const Eigen::VectorXd weights = forecast::GaussianProcess(covariance(), s.x, s.groups).weights(s.y);
  std::vector<forecast::ProcessWeights> several;
  double sum = 0;
  const Eigen::MatrixXd point = Eigen::MatrixXd::Constant(1, 1, 0.7);
  for (int p = 1; p <= 7; ++p) {
    forecast::Covariance c = covariance();
    c.lengths *= p;
    several.push_back({c, weights / p});
    sum += (c(point, s.x) * weights / p)[0];
  }
  EXPECT_NEAR(forecast::ProcessMeans(s.x, several)(point.row(0), point.row(0)), sum / 7,
              1e-6 * weights.cwiseAbs().sum());
}

TEST(ProcessMeans, FarFromEverythingOnlyTheHeldLinearPartIsLeft) {
  const Sample s = sine();
  const Eigen::VectorXd weights = forecast::GaussianProcess(covariance(), s.x, s.groups).weights(s.y);
  const forecast::ProcessMeans mean(s.x, {{covariance(), weights}});
  const Eigen::RowVectorXd far = Eigen::RowVectorXd::Constant(1, 1e3), edge = Eigen::RowVectorXd::Constant(1, 3.0);
  const forecast::Covariance c = covariance();
  EXPECT_NEAR(mean(far, edge),
              c.constant * c.constant * weights.sum() + c.linear * c.linear * 3.0 * s.x.col(0).dot(weights), 1e-9);
}

TEST(GaussianProcess, TuningFindsTheFeatureThatMatters) {
  Sample s{Eigen::MatrixXd(80, 2), Eigen::VectorXd(80), {}};
  for (int i = 0; i < 80; ++i) {
    s.x(i, 0) = std::fmod(i * std::numbers::phi, 1.0) * 3;
    s.x(i, 1) = std::fmod(i * std::numbers::sqrt2, 1.0) * 3;
    s.y[i] = std::sin(2 * s.x(i, 0));
    s.groups.push_back(i % 8);
  }
  forecast::Covariance start;
  start.lengths = Eigen::VectorXd::Constant(2, 2.5);
  const forecast::Covariance tuned = forecast::tune_covariance(start, s.x, s.y, s.groups);
  EXPECT_GT(tuned.lengths[1], 2 * tuned.lengths[0]);
}

}  // namespace
}  // namespace sparsecast
