// Forecasts of several vectors and of the transposed product, made from that of y = A·x.

#include "forecast/task_forecast.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "support/synthetic_profile.hpp"

namespace sparsecast::task_forecasts {
namespace {

Structure stencil() { return analyze(generate({.kind = "poisson2d", .parameters = {.size = 100}})); }

// 100 µs, of which the stream of the format, x and y takes 60.
Forecast plain(const std::string& kernel) {
  Forecast forecast;
  forecast.kernel = kernel;
  forecast.model = "sparsecast";
  forecast.seconds = 1e-4;
  forecast.low_s = 8e-5;
  forecast.high_s = 1.25e-4;
  forecast.bytes = 600000;
  forecast.preprocess_s = 3e-3;
  forecast.parts = {{Term::launch, 1e-6, 0},
                    {Term::stream, 6e-5, 760000},
                    {Term::compute, 2.5e-5, 0},
                    {Term::x_gather, 5e-6, 80000},
                    {Term::learned, 9e-6, 0}};
  return forecast;
}

Forecast of(const ProductKind& task, const std::string& kernel, int threads = 1) {
  const Profile profile = test::empty_host_profile(threads);
  const auto forecast =
      forecast::TaskForecast(profile, {Precision::double_, threads}, task).of(plain(kernel), stencil());
  EXPECT_TRUE(forecast);
  return forecast.value_or(Forecast());
}

double sum_of_parts(const Forecast& forecast) {
  double sum = 0;
  for (const ForecastPart& part : forecast.parts) sum += part.seconds;
  return sum;
}

TEST(TaskForecast, LeavesTheProductItselfAsItIs) {
  const Forecast one = of({}, "csr");
  EXPECT_EQ(one.seconds, 1e-4);
  EXPECT_EQ(one.parts.size(), 5U);
}

TEST(TaskForecast, StreamsTheMatrixOnceForSeveralVectors) {
  double before = 1e-4;
  for (const std::int64_t vectors : {2, 4, 8, 16, 64}) {
    const Forecast block = of({vectors, false}, "csr");
    EXPECT_GT(block.seconds, before) << vectors;
    EXPECT_LT(block.seconds, static_cast<double>(vectors) * 1e-4) << vectors;
    EXPECT_NEAR(sum_of_parts(block), block.seconds, 1e-12);
    // 10,000 rows and columns: 160,000 bytes of x and y a vector beside the format's.
    EXPECT_EQ(block.parts[1].term, Term::stream);
    EXPECT_EQ(block.parts[1].bytes, 600000 + 160000.0 * static_cast<double>(vectors));
    EXPECT_NEAR(block.gflops, 2e-9 * 49600 * static_cast<double>(vectors) / block.seconds, 1e-9);
    EXPECT_EQ(block.preprocess_s, 3e-3);
    EXPECT_EQ(block.bytes, 600000);
    before = block.seconds;
  }
}

TEST(TaskForecast, TakesOneVectorAfterTheOtherWhereAKernelDoes) {
  EXPECT_GT(of({8, false}, "jad").seconds, 8e-4);
  EXPECT_GT(of({8, true}, "csr").seconds, 8e-4) << "the transposed product of a block";
}

TEST(TaskForecast, OfATransposedProductIsLongerAndKnowsLess) {
  const Forecast transposed = of({1, true}, "csr"), two_threads = of({1, true}, "csr", 2);
  EXPECT_GT(transposed.seconds, 1e-4);
  EXPECT_GT(transposed.high_s / transposed.seconds, 1.5);
  EXPECT_LT(transposed.low_s / transposed.seconds, 1 / 1.5);
  EXPECT_NEAR(sum_of_parts(transposed), transposed.seconds, 1e-12);
  EXPECT_NE(two_threads.seconds, transposed.seconds) << "pieces of y";
}

TEST(TaskForecast, LeavesOutKernelsWithoutATransposedProduct) {
  const Profile profile = test::empty_host_profile(1);
  const forecast::TaskForecast task(profile, {Precision::double_, 1}, {1, true});
  EXPECT_FALSE(task.of(plain("csr-vector"), stencil()));
  const std::vector<Forecast> all = task.of({plain("csr-vector"), plain("csr"), plain("sell")}, stencil());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_LE(all[0].seconds, all[1].seconds);
}

TEST(TaskForecast, TakesAModelWithoutParts) {
  const Profile profile = test::empty_host_profile(1);
  Forecast bare = plain("csr");
  bare.parts.clear();
  const auto block = forecast::TaskForecast(profile, {Precision::double_, 1}, {8, false}).of(bare, stencil());
  ASSERT_TRUE(block);
  EXPECT_GT(block->seconds, 1e-4);
  EXPECT_LT(block->seconds, 8e-4);
}

TEST(TaskForecast, OfDevicesIsOfSeveralVectorsAndNotOfTheTranspose) {
  Profile profile = test::empty_host_profile(1);
  profile.properties.kind = DeviceKind::cuda;
  const forecast::TaskForecast block(profile, {Precision::double_, 0}, {8, false});
  EXPECT_FALSE(block.of(plain("sell"), stencil()));
  EXPECT_THROW((void)block.of(std::vector<Forecast>{plain("sell")}, stencil()), Error);
  const auto eight = block.of(plain("csr-stream"), stencil());
  ASSERT_TRUE(eight);
  EXPECT_GT(eight->seconds, plain("csr-stream").seconds);
  EXPECT_LT(eight->seconds, 8 * plain("csr-stream").seconds);
  try {
    const forecast::TaskForecast transposed(profile, {Precision::double_, 0}, {1, true});
    FAIL() << "accepted";
  } catch (const Error& refused) {
    EXPECT_EQ(refused.code(), ErrorCode::unavailable);
  }
}

}  // namespace
}  // namespace sparsecast::task_forecasts
