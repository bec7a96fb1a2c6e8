#include "forecast/physical/conversion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sparsecast/evaluation.hpp>

#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

using forecast::ConversionAmounts;
using forecast::ConversionCosts;
using forecast::ConversionModel;

// Families of matrices from a thousand to ten million non-zeros, whose conversions follow `costs` but for `noise`.
forecast::MeasuredConversions conversions(const ConversionCosts& costs, double noise) {
  forecast::MeasuredConversions measured;
  std::mt19937 random(7);
  std::normal_distribution<double> deviation(0, 1);
  std::uniform_real_distribution<double> share(0, 1);
  for (int i = 0; i < 400; ++i) {
    forecast::ConversionAmounts a;
    a.nonzeros = std::pow(10, 3 + 4 * share(random));
    a.rows = a.nonzeros / std::pow(10, 2 * share(random));
    a.padding = a.nonzeros * share(random);
    a.turns = a.rows * share(random);
    const double bytes = 12 * (a.nonzeros + a.padding);
    (bytes > 4e6 ? a.large_bytes : a.small_bytes) = bytes;
    measured.amounts.push_back(a);
    measured.families.push_back(i / 4);
    measured.seconds.push_back(costs.seconds(a) * std::exp(noise * deviation(random)));
  }
  return measured;
}

const forecast::CoreCosts core(test::empty_host_profile(1));
constexpr ConversionCosts machine{5e-6, 5e-10, 1e-10, 2e-9, 3e-9, 1e-9, 6e-9};

TEST(Conversions, TheFormulaIsFoundAgain) {
  const forecast::MeasuredConversions measured = conversions(machine, 0);
  const ConversionCosts found = fit_conversions(measured, core).costs;
  EXPECT_NEAR(found.constant / machine.constant, 1, 0.1);
  EXPECT_NEAR(found.small_byte / machine.small_byte, 1, 0.2);
  for (std::size_t i = 0; i < measured.seconds.size(); ++i)
    EXPECT_NEAR(found.seconds(measured.amounts[i]) / measured.seconds[i], 1, 0.05);
}

TEST(Conversions, OfOneFamilyAloneHaveAnUnknownError) {
  forecast::MeasuredConversions measured = conversions(machine, 0);
  std::ranges::fill(measured.families, 3);
  EXPECT_GT(fit_conversions(measured, core).half_width(1e-4), 1);
}

TEST(Conversions, TheIntervalHoldsNineInTen) {
  const forecast::ConversionFit fit = fit_conversions(conversions(machine, 0.2), core);
  const forecast::MeasuredConversions others = conversions({5e-6, 5e-10, 1e-10, 2e-9, 3e-9, 1e-9, 6e-9}, 0.2);
  int inside = 0;
  for (std::size_t i = 0; i < others.seconds.size(); ++i) {
    const double seconds = fit.costs.seconds(others.amounts[i]);
    inside += std::abs(std::log(others.seconds[i] / seconds)) <= fit.half_width(seconds) ? 1 : 0;
  }
  EXPECT_GT(inside, 0.85 * 400);
  EXPECT_LT(inside, 0.96 * 400);
}

ConversionAmounts amounts_of_coo(std::int64_t rows, std::int64_t nonzeros, double last_cache) {
  Structure s;
  s.rows = rows;
  s.nonzeros = nonzeros;
  return forecast::conversion_amounts(*formats::find_kernel("coo"), s, 0, Precision::double_, DeviceKind::host,
                                      last_cache);
}

TEST(Conversions, EntriesAreFarWhereTheCachesDoNotHoldThem) {
  const auto far = [&](double nonzeros, double last_cache) {
    return amounts_of_coo(1000, static_cast<std::int64_t>(nonzeros), last_cache).far / nonzeros;
  };
  EXPECT_LT(far(1e4, 32e6), 0.01) << "28 bytes each, a quarter of the cache";
  EXPECT_NEAR(far(8e6 / 28, 32e6), 0.5, 1e-5);
  EXPECT_GT(far(1e7, 32e6), 0.99);
  EXPECT_EQ(far(1e7, 0), 0) << "a device without a cache that is told";
}

TEST(Conversions, ArraysFromOneMegabyteOnLieInHugePages) {
  constexpr double megabyte = 1 << 20;
  // Values of a megabyte and a half, two arrays of indices of half as much.
  const auto amounts = amounts_of_coo(1, static_cast<std::int64_t>(1.5 * megabyte / 8), 0);
  EXPECT_EQ(amounts.large_bytes, 1.5 * megabyte);
  EXPECT_EQ(amounts.small_bytes, 1.5 * megabyte);
}

TEST(Conversions, HalfFullDiagonalsTakeADecisionPerSlot) {
  const formats::KernelInfo& dia = *formats::find_kernel("dia");
  Structure s = test::constant_structure(1000, 5);
  const auto turns = [&](std::int64_t diagonals) {
    s.dense_diagonals = {diagonals, s.nonzeros, 0};
    return forecast::conversion_amounts(dia, s, 8 * diagonals * s.rows, Precision::double_, DeviceKind::host).turns;
  };
  EXPECT_EQ(turns(5), 0);
  EXPECT_EQ(turns(10), static_cast<double>(s.nonzeros));
}

TEST(Conversions, CsrOnTheHostIsTakenAsItIs) {
  const ConversionModel model(test::empty_host_profile(2), {Precision::double_, 2});
  const auto estimate = model.estimate("csr", test::constant_structure(1000, 5), 1000);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->seconds, 0);
  EXPECT_EQ(estimate->high_s, 0);
}

TEST(Conversions, WithoutMeasurementsNothingIsTold) {
  Profile profile = test::empty_host_profile(2);
  test::add_grid(profile, "constant", "ell", 2, [](double strips, double length) { return 1e-7 * strips * length; });
  const ConversionModel model(profile, {Precision::double_, 2});
  EXPECT_FALSE(model.estimate("ell", test::constant_structure(1000, 5), 60'000));
  Forecast forecast;
  forecast.kernel = "ell";
  forecast.bytes = 60'000;
  model.tell(forecast, test::constant_structure(1000, 5));
  EXPECT_FALSE(forecast.preprocess_s);
  EXPECT_FALSE(forecast.preprocess_low_s);
}

TEST(Conversions, AProfileOfTheOtherPrecisionTellsLess) {
  Profile profile = test::empty_host_profile(2);
  test::add_grid(profile, "constant", "ell", 2, [](double strips, double length) { return 1e-7 * strips * length; });
  for (Record& record : profile.records) record.preprocess_s = 20 * record.seconds;
  const Structure matrix = test::constant_structure(50'000, 8);
  const auto of_double = ConversionModel(profile, {Precision::double_, 2}).estimate("ell", matrix, 50'000 * 8 * 12);
  const auto of_single = ConversionModel(profile, {Precision::single_, 2}).estimate("ell", matrix, 50'000 * 8 * 8);
  ASSERT_TRUE(of_double);
  ASSERT_TRUE(of_single);
  EXPECT_LT(of_single->seconds, of_double->seconds) << "half as many bytes of values";
  EXPECT_GT(of_single->high_s / of_single->seconds, of_double->high_s / of_double->seconds);
}

TEST(Conversions, AnUnknownOneIsNotJudged) {
  EvaluationCase one;
  one.preprocess_measured_s = 2;
  EXPECT_FALSE(one.preprocess_error());
  one.preprocess_predicted_s = 3;
  EXPECT_DOUBLE_EQ(one.preprocess_error().value(), 0.5);
  one.preprocess_predicted_s = one.preprocess_measured_s = 0;
  EXPECT_EQ(one.preprocess_error(), 0) << "borrowed, and known to be";
  one.kernel = "coo";
  one.measured_s = one.predicted_s = 1;
  EvaluationCase unknown = one;
  unknown.kernel = "ell";
  unknown.preprocess_predicted_s.reset();
  const auto summary = summarize({one, unknown});
  EXPECT_EQ(summary[0].preprocess_mean_error, 0);
  EXPECT_FALSE(summary[1].preprocess_mean_error);
}

}  // namespace
}  // namespace sparsecast
