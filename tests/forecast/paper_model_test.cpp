
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <sparsecast/recommend.hpp>

#include "forecast/model_set.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

using test::add_grid;
using test::constant_structure;
using test::empty_host_profile;

double csr_time(double strips, double row_length) { return (2e-6 + 1e-8 * row_length) * (0.2 + strips); }
double ell_time(double strips, double row_length) { return (1e-9 + 2e-8 * strips) * row_length + 1e-6 * strips; }

// Guo's COO grid grows with the non-zeros alone.
double coo_time(double strips, double row_length) { return 1e-6 + 2e-6 * strips * row_length; }

Profile full_profile() {
  Profile profile = empty_host_profile(2);
  add_grid(profile, "constant", "csr", 2, csr_time);
  add_grid(profile, "constant", "ell", 2, ell_time);
  add_grid(profile, "constant", "coo", 2, coo_time);
  add_grid(profile, "normal", "csr", 2, [](double i, double p) { return 1.5 * csr_time(i, p); });
  return profile;
}

TEST(PaperModel, ForecastsExactlyOnItsOwnForm) {
  const Profile profile = full_profile();
  const auto guo = fit_model("guo", profile, {Precision::double_, 2});
  const Structure target = constant_structure(2048 * 100, 48);
  const auto csr = guo->forecast(target, "csr");
  ASSERT_TRUE(csr);
  EXPECT_NEAR(csr->seconds, csr_time(100, 48), 1e-9);
  EXPECT_TRUE(csr->extrapolated) << "a hundred strips are beyond the ten of the grid";
  const auto ell = guo->forecast(constant_structure(2048 * 7, 100), "ell");
  ASSERT_TRUE(ell);
  EXPECT_NEAR(ell->seconds, ell_time(7, 100), 1e-12);
  EXPECT_FALSE(ell->extrapolated);
  const auto coo = guo->forecast(target, "coo");
  ASSERT_TRUE(coo);
  EXPECT_NEAR(coo->seconds, 1e-6 + 2e-6 * 100 * 48, 1e-9);
}

TEST(PaperModel, TakesTheModeForCsrAndTheMaximumForEll) {
  const auto guo = fit_model("guo", full_profile(), {Precision::double_, 2});
  Structure target = constant_structure(2048 * 4, 20);
  target.row_max = 200;
  EXPECT_NEAR(guo->forecast(target, "csr")->seconds, csr_time(4, 20), 1e-10);
  EXPECT_NEAR(guo->forecast(target, "ell")->seconds, ell_time(4, 200), 1e-10);
}

TEST(PaperModel, PartOfAStripCountsAsOne) {
  const auto guo = fit_model("guo", full_profile(), {Precision::double_, 2});
  EXPECT_NEAR(guo->forecast(constant_structure(2048 * 3 + 1, 20), "csr")->seconds, csr_time(4, 20), 1e-10);
}

TEST(PaperModel, HybIsEllOfTheWidthPlusCooOfTheOverflow) {
  const auto guo = fit_model("guo", full_profile(), {Precision::double_, 2});
  Structure target = constant_structure(2048 * 8, 12);
  target.row_histogram = {{12, 2048 * 8 - 100}, {500, 100}};
  target.nonzeros = 12 * (2048 * 8 - 100) + 500 * 100;
  target.row_max = 500;
  const HybSplit split = hyb_split(target);
  ASSERT_EQ(split.width, 12);
  ASSERT_EQ(split.overflow, 100 * 488);
  const auto hyb = guo->forecast(target, "hyb");
  ASSERT_TRUE(hyb);
  EXPECT_NEAR(hyb->seconds, ell_time(8, 12) + 1e-6 + 2e-6 * std::ceil(48800 / 2048.0), 1e-9);
  EXPECT_EQ(hyb->parts.size(), 2U);
}

TEST(PaperModel, HybWithoutOverflowIsEllAlone) {
  const auto guo = fit_model("guo", full_profile(), {Precision::double_, 2});
  const Structure target = constant_structure(2048 * 8, 12);
  EXPECT_NEAR(guo->forecast(target, "hyb")->seconds, ell_time(8, 12), 1e-12);
}

TEST(PaperModel, ARecordTellsNoModeAndNoSplit) {
  const auto guo = fit_model("guo", full_profile(), {Precision::double_, 2});
  Structure record = constant_structure(2048 * 4, 20);
  record.row_histogram.clear();
  record.row_quartiles = {10, 16, 30};
  EXPECT_NEAR(guo->forecast(record, "csr")->seconds, csr_time(4, 16), 1e-10) << "the median stands for the mode";
  EXPECT_FALSE(guo->forecast(record, "hyb"));
}

TEST(PaperModel, WangIsFittedOnItsOwnMatricesAndHasNoCoo) {
  const auto wang = fit_model("wang-normal", full_profile(), {Precision::double_, 2});
  EXPECT_NEAR(wang->forecast(constant_structure(2048 * 5, 48), "csr")->seconds, 1.5 * csr_time(5, 48), 1e-9);
  EXPECT_FALSE(wang->forecast(constant_structure(2048 * 5, 48), "coo"));
  EXPECT_FALSE(wang->forecast(constant_structure(2048 * 5, 48), "ell")) << "no normal records of ELL";
}

TEST(PaperModel, NoForecastIsBelowTheMemoryBandwidth) {
  Profile profile = full_profile();
  profile.curves.push_back({"read_bandwidth", 2, {8192}, {1e9}});
  const auto guo = fit_model("guo", profile, {Precision::double_, 2});
  const auto forecast = guo->forecast(constant_structure(2048 * 10, 4), "csr");
  EXPECT_GE(forecast->seconds, static_cast<double>(forecast->bytes.value()) / 1e9);
}

TEST(PaperModel, OtherPrecisionAndThreadsAreOtherRecords) {
  const auto guo = fit_model("guo", full_profile(), {Precision::double_, 1});
  EXPECT_FALSE(guo->forecast(constant_structure(2048, 4), "csr"));
}

TEST(ModelSet, SaysWhatToCalibrateWhereThereAreNoRecords) {
  try {
    forecast::ModelSet("guo", full_profile(), {Precision::single_, 2});
    FAIL() << "no records in single precision";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::failed);
    const std::string told = error.message(Voice::command_line);
    EXPECT_NE(told.find("--precision single --threads 2"), std::string::npos) << told;
  }
}

TEST(ModelSet, BestTakesTheFirstModelOfTheTableThatHasAForm) {
  Profile profile = empty_host_profile(2);
  add_grid(profile, "constant", "csr", 2, csr_time);
  const forecast::ModelSet models("best", profile, {Precision::double_, 2});
  const auto forecasts = models.best(constant_structure(2048 * 5, 48), {"csr", "jad"});
  ASSERT_EQ(forecasts.size(), 1U) << "there are no records of jad";
  EXPECT_EQ(forecasts[0].model, model_names()[0]);
}

TEST(ModelSet, UnknownModelNamesTheKnownOnes) {
  EXPECT_THROW(forecast::ModelSet("gauss", full_profile(), {Precision::double_, 2}), Error);
}

Forecast forecast_of(const char* kernel, double seconds, std::optional<double> preprocess_s) {
  Forecast forecast;
  forecast.kernel = kernel;
  forecast.seconds = seconds;
  forecast.preprocess_s = preprocess_s;
  return forecast;
}

TEST(Recommend, CountsTheConversionForFewIterations) {
  const Forecast csr = forecast_of("csr", 2e-3, 0), ell = forecast_of("ell", 1e-3, 0.1);
  EXPECT_EQ(recommend({ell, csr}, 0).kernel, "ell");
  EXPECT_EQ(recommend({ell, csr}, 50).kernel, "csr");
  EXPECT_EQ(recommend({ell, csr}, 200).kernel, "ell");
  EXPECT_TRUE(recommend({}, 0).kernel.empty());
}

TEST(Recommend, AConversionThatIsNotKnownComesLast) {
  Forecast csr = forecast_of("csr", 2e-3, 0), ell = forecast_of("ell", 1e-3, {});
  EXPECT_FALSE(total_seconds(ell, 200));
  EXPECT_DOUBLE_EQ(total_seconds(csr, 200).value(), 0.4);
  EXPECT_EQ(recommend({ell, csr}, 200).kernel, "csr");
  csr.preprocess_s.reset();
  const Recommendation by_product = recommend({ell, csr}, 200);
  EXPECT_EQ(by_product.kernel, "ell") << "nothing else to go by";
  EXPECT_NE(by_product.reason.find("not known"), std::string::npos);
}

TEST(Recommend, NamesNearTies) {
  Forecast csr, sell;
  csr.kernel = "csr";
  csr.seconds = 1.01e-3;
  sell.kernel = "sell";
  sell.seconds = 1e-3;
  EXPECT_NE(recommend({sell, csr}, 0).reason.find("csr"), std::string::npos);
  csr.seconds = 1.2e-3;
  EXPECT_EQ(recommend({sell, csr}, 0).reason.find("csr"), std::string::npos) << "20 % slower is no tie";
  sell.high_s = 1.3e-3;
  EXPECT_NE(recommend({sell, csr}, 0).reason.find("csr"), std::string::npos) << "unless the interval reaches so far";
}

TEST(Recommend, SaysWhenAConversionHasPaidForItself) {
  const Forecast csr = forecast_of("csr", 2e-3, 0), ell = forecast_of("ell", 1e-3, 0.1);
  EXPECT_NE(recommend({ell, csr}, 200).reason.find("pays from 100 products on"), std::string::npos);
  EXPECT_NE(recommend({ell, csr}, 50).reason.find("ell would pay from 100 products on"), std::string::npos);
}

}  // namespace
}  // namespace sparsecast
