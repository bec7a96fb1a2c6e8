// The public interface in use: versions, threads, kernels, profiles out of the store, the recommended kernel.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sparsecast/answers.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/kernels.hpp>
#include <sparsecast/plan.hpp>
#include <sparsecast/recommend.hpp>
#include <sparsecast/threads.hpp>
#include <sparsecast/version.hpp>
#include <thread>

#include "interface/measured_host.hpp"
#include "support/command.hpp"

namespace sparsecast {
namespace {

template <class Call>
Error error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::failed, ""};
}

TEST(Version, IsTheProjectsInHeadersLibraryAndCommand) {
  EXPECT_EQ(version_text, SPARSECAST_VERSION);
  EXPECT_EQ(library_version(), version_text);
  const std::string first = "sparsecast " + std::string(version_text) + "\n";
  EXPECT_EQ(test::sparsecast({"--version"}).out.substr(0, first.size()), first);
}

TEST(Threads, DefaultIsAllCoresUntilItIsSet) {
  EXPECT_EQ(default_threads(), std::min(available_cores(), 1024));
  set_default_threads(3);
  EXPECT_EQ(default_threads(), 3);
  set_default_threads(5000);
  EXPECT_EQ(default_threads(), 1024);
  set_default_threads(0);
  EXPECT_EQ(default_threads(), std::min(available_cores(), 1024));
}

TEST(KernelTable, HasEveryKernelOnceWithWhereItRunsAndWhereItComesFrom) {
  std::set<std::string_view> names;
  for (const Kernel& kernel : kernel_table()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    EXPECT_TRUE(kernel.on_host || kernel.on_gpu) << kernel.name;
    EXPECT_FALSE(kernel.vendor && kernel.on_host) << kernel.name;
    for (const std::string_view text : {kernel.format, kernel.summary, kernel.source})
      EXPECT_FALSE(text.empty()) << kernel.name;
    EXPECT_EQ(find_kernel(kernel.name), &kernel);
  }
  EXPECT_EQ(find_kernel("csr-merge")->format, "csr");
  EXPECT_EQ(find_kernel("no-such-kernel"), nullptr);
}

TEST(KernelTable, NamesWhatDevicesHaveStripsFor) {
  const DeviceProperties a100 = describe_device("nvidia-a100");
  for (const Kernel& kernel : kernel_table())
    EXPECT_EQ(a100.strip(std::string(kernel.name)) > 0, kernel.on_gpu) << kernel.name;
}

class WithAHome : public testing::Test {
 protected:
  void SetUp() override { setenv("SPARSECAST_HOME", home_.path().c_str(), 1); }
  void TearDown() override { unsetenv("SPARSECAST_HOME"); }
  test::TemporaryFolder home_;
};

using CalibratedProfile = WithAHome;
using Recommend = WithAHome;
using Observed = WithAHome;
using Predict = WithAHome;

TEST_F(CalibratedProfile, IsWhatCalibrateLeftInTheStore) {
  test::store_measured_host(home_.path(), 2);
  const Profile profile = calibrated_profile("host");
  EXPECT_EQ(profile.name, "host");
  EXPECT_EQ(profile.records.size(), test::measured_host(2).records.size());
}

TEST_F(CalibratedProfile, OfAHostThatWasNeverMeasuredIsWhatShips) {
  const Profile profile = calibrated_profile();
  EXPECT_EQ(profile.tier, Tier::shipped);
  EXPECT_TRUE(profile.records.empty());
  const Prediction answer = predict({.matrix = generate({.kind = "poisson2d", .parameters = {.size = 64}})});
  ASSERT_GT(answer.forecasts.size(), 5U);
  EXPECT_EQ(answer.tier, Tier::shipped);
  for (const Forecast& one : answer.forecasts) {
    EXPECT_EQ(one.tier, Tier::shipped) << one.kernel;
    EXPECT_LT(one.low_s * 2, one.high_s) << one.kernel << ": who knows one processor is not sure of another";
  }
}

TEST_F(CalibratedProfile, TakesThePlaceOfWhatShipsAtOnce) {
  const PredictRequest request{.matrix = generate({.kind = "poisson2d", .parameters = {.size = 64}}), .threads = 1};
  EXPECT_EQ(predict(request).tier, Tier::shipped);
  test::store_measured_host(home_.path(), 1);
  const Prediction measured = predict(request);
  EXPECT_EQ(measured.tier, Tier::measured);
  for (const Forecast& one : measured.forecasts) EXPECT_EQ(one.tier, Tier::measured) << one.kernel;
}

TEST_F(CalibratedProfile, WhatWasMeasuredAloneIsExported) {
  const Error error = error_of([&] { (void)export_profile({.profile = "host", .file = home_.path() / "p.json"}); });
  EXPECT_EQ(error.code(), ErrorCode::failed);
  EXPECT_NE(error.remedy().find("calibrate({.device = \"host\", .quick = true})"), std::string::npos) << error.what();
  EXPECT_NE(error.message(Voice::command_line).find("`sparsecast calibrate --device host --quick`"), std::string::npos);
  test::store_measured_host(home_.path(), 1);
  (void)export_profile({.profile = "host", .file = home_.path() / "p.json"});
  for (const Curve& curve : read_profile(home_.path() / "p.json").curves) EXPECT_EQ(curve.threads, 1) << curve.name;
}

TEST_F(CalibratedProfile, OfAnUnknownNameIsUnavailable) {
  EXPECT_EQ(error_of([] { (void)calibrated_profile("no-such-device"); }).code(), ErrorCode::unavailable);
}

// A paper's model is its formula; ours knows a matrix that was measured here.
TEST_F(Observed, ProductsDoNotChangeWhatAPapersModelAnswers) {
  test::store_measured_host(home_.path(), 1);
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 64}});
  const auto predicted = [&](const char* model) {
    std::map<std::string, double> seconds;
    for (const Forecast& one : predict({.matrix = matrix, .model = model, .threads = 1}).forecasts)
      seconds[one.kernel] = one.seconds;
    return seconds;
  };
  const auto planned = [&] {
    const Plan made = plan({.matrix = matrix, .model = "guo", .threads = 1});
    std::map<std::string, double> seconds{{made.strategy().reason, made.strategy().predicted_s}};
    for (const SingleKernel& one : made.strategy().singles) seconds[one.kernel] = one.seconds;
    return seconds;
  };
  const auto guo = predicted("guo"), best = predicted("best"), plan_before = planned();
  ASSERT_EQ(guo.size(), 3U);
  (void)measure({.matrix = matrix, .kernels = {"csr", "ell", "sell"}, .threads = 1});
  EXPECT_EQ(predicted("guo"), guo);
  EXPECT_EQ(planned(), plan_before);
  EXPECT_NE(predicted("best"), best) << "or nothing was kept, and this test tells nothing";
}

TEST_F(Predict, ForecastsTheKernelsThatAreNamed) {
  test::store_measured_host(home_.path(), 1);
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 64}});
  std::vector<std::string> remarks;
  PredictRequest request{.matrix = matrix, .model = "guo", .kernels = {"csr", "ell", "coo"}, .threads = 1};
  request.listener.remark = [&](std::string_view line) { remarks.emplace_back(line); };
  const Prediction answer = predict(request);
  ASSERT_EQ(answer.forecasts.size(), 2U);
  for (const Forecast& one : answer.forecasts) EXPECT_NE(one.kernel, "sell");
  EXPECT_TRUE(std::ranges::any_of(remarks, [](const std::string& line) {
    return line.find("no forecast of coo") != std::string::npos;
  })) << "nothing was measured of it";
  request.kernels = {"no-such-kernel"};
  EXPECT_EQ(error_of([&] { (void)predict(request); }).code(), ErrorCode::usage);
}

TEST_F(Recommend, TakesTheKernelThatFinishesFirst) {
  const Profile profile = test::measured_host(2);
  const Structure structure = analyze(generate({.kind = "poisson2d", .parameters = {.size = 100}}));
  const auto guo = fit_model("guo", profile, {Precision::double_, 2});
  std::vector<Forecast> forecasts;
  for (const char* kernel : {"csr", "ell", "sell"}) {
    const std::optional<Forecast> forecast = guo->forecast(structure, kernel);
    ASSERT_TRUE(forecast) << kernel;
    forecasts.push_back(*forecast);
  }
  const Recommendation use = recommend(forecasts);
  for (const Forecast& one : forecasts) EXPECT_GE(one.seconds, use.seconds) << one.kernel;
  EXPECT_TRUE(std::ranges::any_of(forecasts, [&](const Forecast& one) { return one.kernel == use.kernel; }));
  EXPECT_NE(use.reason.find("model guo"), std::string::npos) << use.reason;
  EXPECT_TRUE(recommend(std::vector<Forecast>()).kernel.empty());
}

}  // namespace
}  // namespace sparsecast
