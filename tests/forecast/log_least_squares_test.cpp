#include "forecast/physical/log_least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sparsecast {
namespace {

// t = a + b·n, as a launch and a cost per element.
struct Line {
  Eigen::VectorXd n;
  forecast::LogFormula formula() const {
    return [this](const Eigen::VectorXd& p, Eigen::VectorXd& out) {
      out = (std::exp(p[0]) + std::exp(p[1]) * n.array()).log();
    };
  }
};

forecast::LogPrior loose_prior() {
  forecast::LogPrior prior{Eigen::Vector2d(std::log(1e-5), std::log(1e-10)), Eigen::Vector2d(5, 5), 1e-6};
  return prior;
}

TEST(LogLeastSquares, RecoversExactCoefficients) {
  Line line{Eigen::VectorXd::LinSpaced(30, 2, 7).array().unaryExpr([](double e) { return std::pow(10.0, e); })};
  const Eigen::VectorXd seconds = (2e-6 + 3e-9 * line.n.array()).log();
  const forecast::LogPrior prior = loose_prior();
  const Eigen::VectorXd p = forecast::fit_log_formula(line.formula(), seconds, prior, prior.centre, 0.1);
  EXPECT_NEAR(std::exp(p[0]) / 2e-6, 1, 1e-3);
  EXPECT_NEAR(std::exp(p[1]) / 3e-9, 1, 1e-3);
}

TEST(LogLeastSquares, IsNotBentByAFewOutliers) {
  Line line{Eigen::VectorXd::LinSpaced(40, 2, 7).array().unaryExpr([](double e) { return std::pow(10.0, e); })};
  Eigen::VectorXd seconds = (2e-6 + 3e-9 * line.n.array()).log();
  seconds[5] += 3;
  seconds[33] += 3;
  const forecast::LogPrior prior = loose_prior();
  const Eigen::VectorXd p = forecast::fit_log_formula(line.formula(), seconds, prior, prior.centre, 0.01);
  EXPECT_NEAR(std::exp(p[1]) / 3e-9, 1, 0.03);
}

TEST(LogLeastSquares, WhatTheDataDoNotTellStaysAtThePrior) {
  Line line{Eigen::VectorXd::Constant(10, 1e9)};  // the launch is invisible beside a second
  const Eigen::VectorXd seconds = Eigen::VectorXd::Constant(10, std::log(1.0));
  forecast::LogPrior prior = loose_prior();
  prior.weight = 1e-3;
  const Eigen::VectorXd p = forecast::fit_log_formula(line.formula(), seconds, prior, prior.centre, 0.1);
  EXPECT_NEAR(p[0], prior.centre[0], 0.1);
  EXPECT_NEAR(std::exp(p[1]), 1e-9, 1e-11);
}

}  // namespace
}  // namespace sparsecast
