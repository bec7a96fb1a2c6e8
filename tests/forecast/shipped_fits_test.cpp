// What a fit is as a text that ships, and what a model makes of it on the host that it was fitted on.

#include "forecast/shipped/shipped_fits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast_constants.hpp>

#include "calibration/shipped/shipped_processors.hpp"
#include "fields/tier.hpp"
#include "forecast/model_set.hpp"
#include "forecast/record_choice.hpp"
#include "support/command.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast::forecast {
namespace {

// A host whose products take what their rows and entries cost, and the curves that priors are made of.
Profile fitted_host() {
  Profile host = test::empty_host_profile(1);
  test::add_grid(host, "constant", "csr", 1,
                 [](double strips, double length) { return 1e-6 + strips * 1024 * (2e-9 + 1e-9 * length); });
  host.curves.push_back({"read_bandwidth", 1, {1 << 14, 1 << 26}, {1e10, 1e10}});
  host.curves.push_back({"latency", 1, {1 << 14, 1 << 26}, {1e-9, 1e-7}});
  return host;
}

class ShippedFit : public testing::Test {
 protected:
  void SetUp() override { setenv("SPARSECAST_HOME", home_.path().c_str(), 1); }
  void TearDown() override { unsetenv("SPARSECAST_HOME"); }
  test::TemporaryFolder home_;
};

TEST_F(ShippedFit, ReadsAsItWasWritten) {
  const ShippedFits fits = fits_to_ship(fitted_host(), 1);
  ASSERT_EQ(fits.kernels.size(), 1U);
  const ShippedFits back = shipped_fits_from(text_of(fits));
  ASSERT_EQ(back.kernels.size(), 1U);
  const KernelFit &one = fits.kernels.at("csr").fit, &other = back.kernels.at("csr").fit;
  EXPECT_EQ(other.longest_row, one.longest_row);
  EXPECT_LT((other.parameters - one.parameters).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_EQ(other.processes.processes().size(), one.processes.processes().size());
  EXPECT_NEAR(other.interval_factor, one.interval_factor, 1e-9);
}

TEST_F(ShippedFit, OtherTextsAreRefused) {
  const std::string text = text_of(fits_to_ship(fitted_host(), 1));
  for (const std::string& wrong :
       {std::string("no base64!"), std::string(), text.substr(0, text.size() / 2), std::string("QUJD"), text.substr(4)})
    EXPECT_THROW((void)shipped_fits_from(wrong), Error) << wrong.substr(0, 20);
}

// Costs go with what the micro-benchmarks say: where loads take twice as long, so does what waits for them.
TEST_F(ShippedFit, ConversionsAndCostsAreRatios) {
  const Profile host = fitted_host();
  Profile slower = host;
  for (Curve& curve : slower.curves)
    for (double& y : curve.y) y *= curve.name == "latency" ? 2 : 0.5;
  // The same times and priors twice as long: ratios half as large.
  const Eigen::VectorXd there = fits_to_ship(host, 1).kernels.at("csr").fit.parameters;
  const Eigen::VectorXd prior_there = PhysicalTerms(host, {Precision::double_, 1}, true, false).prior().centre;
  const Eigen::VectorXd prior_slower = PhysicalTerms(slower, {Precision::double_, 1}, true, false).prior().centre;
  EXPECT_NEAR((prior_slower - prior_there).maxCoeff(), std::log(2), 1e-9);
  EXPECT_EQ(there.size(), prior_there.size());
}

TEST_F(ShippedFit, StandsInOnlyWhereNothingWasMeasured) {
  Profile host = fitted_host();
  EXPECT_FALSE(is_shipped(host, {Precision::double_, 1}));
  host.shipped = {2};
  EXPECT_TRUE(is_shipped(host, {Precision::double_, 2}));
  EXPECT_TRUE(is_shipped(host, {Precision::single_, 2}));
  EXPECT_FALSE(is_shipped(host, {Precision::double_, 1}));
  EXPECT_FALSE(is_shipped(host, {Precision::double_, 4}));
}

// What is in the library reads, for every number of threads, and tells of the kernels that it names.
TEST_F(ShippedFit, WhatShipsReads) {
  int read = 0;
  for (const calibration::ShippedProcessor& processor : calibration::shipped_processors())
    for (const auto& [threads, text] : processor.fits) {
      const ShippedFits fits = shipped_fits_from(text);
      EXPECT_GE(fits.kernels.size(), 10U) << processor.properties.model << ' ' << threads;
      for (const auto& [name, kernel] : fits.kernels) {
        EXPECT_NE(std::ranges::find(processor.kernels, name), processor.kernels.end()) << name;
        EXPECT_TRUE(kernel.fit.parameters.allFinite()) << name;
      }
      ++read;
    }
  EXPECT_GE(read, 2);
}

// Of this host by what ships: intervals that are honest of a processor that nobody saw.
TEST_F(ShippedFit, ForecastsOfAnEmptyHomeAreWideAndWhole) {
  const Profile host = calibrated_profile("host");
  const Structure mesh = analyze(generate({.kind = "poisson2d", .parameters = {.size = 100}}), 1);
  for (const int threads : host.shipped) {
    const ModelSet models("best", host, {Precision::double_, threads});
    const std::vector<Forecast> all = models.best(mesh, kernels_of(host));
    EXPECT_GE(all.size(), 10U);
    for (const Forecast& one : all) {
      EXPECT_EQ(one.tier, Tier::shipped);
      EXPECT_GT(one.seconds, 0) << one.kernel;
      EXPECT_GT(std::log(one.high_s / one.low_s), 2 * constants::shipped_doubt) << one.kernel;
      double parts = 0;
      for (const ForecastPart& part : one.parts) parts += part.seconds;
      if (one.kernel == "csr") {
        EXPECT_NEAR(parts / one.seconds, 1, 1e-6);
      }
      EXPECT_TRUE(one.preprocess_s.has_value()) << one.kernel;
    }
  }
  EXPECT_THROW(ModelSet("guo", host, {Precision::double_, 1}), Error) << "nothing ships for a paper's model";
}
}  // namespace
}  // namespace sparsecast::forecast
