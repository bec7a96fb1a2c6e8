// Forecasts of described GPUs: what kernels do, trees as they are shipped, floors, anchors and tables.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/device.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/profile.hpp>
#include <sparsecast/recommend.hpp>

#include "forecast/launch.hpp"
#include "forecast/learned/extra_trees.hpp"
#include "forecast/machines/described_model.hpp"
#include "forecast/machines/gpu_device.hpp"
#include "forecast/machines/gpu_model.hpp"

namespace sparsecast::forecast {
namespace {
// A table's record of a matrix whose rows all have the same length.
Structure even_rows(std::int64_t rows, std::int64_t length) {
  Structure s;
  s.name = "group" + std::to_string(rows % 7) + "/even";
  s.rows = s.cols = rows;
  s.nonzeros = rows * length;
  s.row_mean = static_cast<double>(length);
  s.row_min = s.row_max = length;
  s.row_quartiles.assign(3, s.row_mean);
  return s;
}

GpuProduct product_of(const Structure& s, GpuKernel kernel, const char* device = "nvidia-v100") {
  return GpuProduct(s, Precision::double_, kernel, GpuNumbers(describe_device(device)), {1024, 1e6});
}

double forecast_s(const FittedModel& model, const Structure& s, const std::string& kernel) {
  return model.forecast(s, kernel).value().seconds;
}

SumOfTrees trees_of(const std::string& code, const std::string& edges = "[[1],[0]]") {
  return {nlohmann::ordered_json::parse(R"({"edges":)" + edges + R"(,"unit":0.5,"code":")" + code + "\"}"), 2};
}

TEST(SumOfTrees, WalkTheirNodes) {
  // x0 ≤ 1 ? (x1 ≤ 0 ? 1 : 2) : 4, and a tree that is a leaf of 8; units of ½. "AAABAP8BAP8CAP8EAP8IAA==" holds the
  // bytes 0 0, 1 0, 255 1 0, 255 2 0, 255 4 0, 255 8 0.
  const SumOfTrees trees = trees_of("AAABAP8BAP8CAP8EAP8IAA==");
  EXPECT_EQ(trees.size(), 2U);
  const auto at = [&](double a, double b) { return trees(std::array{a, b}); };
  EXPECT_EQ(at(1, 0), 4.5);
  EXPECT_EQ(at(0, 1), 5.0);
  EXPECT_EQ(at(2, 0), 6.0);
}

TEST(SumOfTrees, RefuseWhatIsNoTree) {
  for (const char* code : {"AA==", "AAA=", "AAD/AQA=", "AwD/AQD/AQA=", "AAL/AQD/AQA=", "*"})
    EXPECT_THROW(trees_of(code), Error) << code;
  EXPECT_THROW(trees_of("/wEA", "[[1,0],[0]]"), Error) << "edges descend";
  EXPECT_THROW(trees_of("/wEA", "[[1]]"), Error) << "one feature of two";
}

TEST(ExtraTrees, LearnAStepAndRepeatThemselves) {
  Eigen::MatrixXd x(200, 2);
  Eigen::VectorXd y(200);
  for (Eigen::Index i = 0; i < 200; ++i) {
    x(i, 0) = static_cast<double>(i);
    x(i, 1) = static_cast<double>(i * 37 % 200);
    y(i) = i < 120 ? 1 : 3;
  }
  const ExtraTrees trees(x, y, 50), again(x, y, 50);
  EXPECT_NEAR(trees.predict(Eigen::RowVector2d(20, 100)), 1, 0.2);
  EXPECT_NEAR(trees.predict(Eigen::RowVector2d(180, 100)), 3, 0.2);
  EXPECT_EQ(trees.predict(Eigen::RowVector2d(121, 5)), again.predict(Eigen::RowVector2d(121, 5)));
  EXPECT_EQ(ExtraTrees(trees.bytes(), 2).predict(Eigen::RowVector2d(121, 5)),
            again.predict(Eigen::RowVector2d(121, 5)));
  EXPECT_EQ(ExtraTrees().predict(Eigen::RowVector2d(0, 0)), 0);
  EXPECT_TRUE(ExtraTrees(ExtraTrees().bytes(), 2).empty());
}

TEST(ExtraTrees, BytesThatAreNoTreesAreRefused) {
  const std::vector<std::uint8_t> bytes =
      ExtraTrees(Eigen::MatrixXd::Random(50, 2), Eigen::VectorXd::Random(50), 2).bytes();
  EXPECT_THROW(ExtraTrees(bytes, 1), Error) << "asks for a feature that there is not";
  EXPECT_THROW(ExtraTrees(std::span(bytes).first(bytes.size() - 1), 2), Error);
  EXPECT_THROW(ExtraTrees(std::span(bytes).first(3), 2), Error);
  std::vector<std::uint8_t> circular = bytes;
  circular[4 + 2 * 4 + 4] = 0;  // where the first node's right side begins
  EXPECT_THROW(ExtraTrees(circular, 2), Error);
}

TEST(GpuNumbers, GenerationsAreToldByVendorAndCapability) {
  EXPECT_EQ(GpuNumbers(describe_device("tesla-k40m")).generation, GpuGeneration::kepler);
  EXPECT_EQ(GpuNumbers(describe_device("tesla-p100")).generation, GpuGeneration::volta);
  EXPECT_EQ(GpuNumbers(describe_device("amd-mi100")).generation, GpuGeneration::amd);
}

TEST(GpuNumbers, SectorsAreWideSinceVolta) {
  EXPECT_EQ(GpuNumbers(describe_device("tesla-p100")).sector, 32);
  EXPECT_EQ(GpuNumbers(describe_device("nvidia-titan-v")).sector, 64);
  EXPECT_EQ(GpuNumbers(describe_device("amd-mi100")).sector, 32);
}

TEST(GpuProduct, AThreadThatWalksARowOfCsrAloneMovesSectors) {
  const auto moved = [](GpuWork work, std::int64_t length) {
    const GpuProduct product = product_of(even_rows(100'000, length), {.name = "k", .work = work});
    return product.moved / (1e5 * static_cast<double>(length));
  };
  EXPECT_NEAR(moved(GpuWork::threads, 64), 2 * 64 + 20.0 / 64, 1e-9) << "a sector for the value, one for the index";
  EXPECT_LT(moved(GpuWork::threads, 4), 40);
  EXPECT_NEAR(moved(GpuWork::warps, 64), 12 + 20.0 / 64, 1e-9);
}

TEST(GpuProduct, FewThreadsShareLongRowsOfOlderCsr) {
  const GpuNumbers v100(describe_device("nvidia-v100"));
  const auto product = [](std::int64_t length) {
    return product_of(even_rows(100'000, length), {.name = "k", .work = GpuWork::threads, .shares = true});
  };
  const auto steps = [&](std::int64_t length) { return product(length).counts[1] * v100.clock / 400; };
  EXPECT_NEAR(steps(10), 10, 1e-6);
  EXPECT_NEAR(steps(32), 16, 1e-6) << "two threads a row";
  EXPECT_NEAR(steps(128), 32, 1e-6) << "four";
  EXPECT_NEAR(product(128).moved / (1e5 * 128), 2 * 64 / 4 + 20.0 / 128, 1e-9) << "of a sector by four";
}

TEST(GpuProduct, ThreadsOfAWideRowOfEllFetchSectorsAloneBeforeVolta) {
  const GpuKernel ell{.name = "k", .work = GpuWork::threads, .layout = GpuLayout::ell, .library = GpuLibrary::ginkgo};
  const auto moved = [&](const char* device, bool wide) {
    return GpuProduct(even_rows(1000, 320), Precision::double_, ell, GpuNumbers(describe_device(device)),
                      {64, 1e300, wide})
        .moved;
  };
  EXPECT_NEAR(moved("tesla-k40m", true), 2 * 32 * 320e3 + 16e3, 1e-6);
  EXPECT_NEAR(moved("tesla-k40m", false), 12 * 320e3 + 16e3, 1e-6);
  EXPECT_NEAR(moved("nvidia-v100", true), 12 * 320e3 + 16e3, 1e-6);
}

TEST(GpuProduct, BytesAreThoseOfTheFormat) {
  Structure s = even_rows(1000, 10);
  const auto stored = [&](GpuLayout layout) {
    return product_of(s, {.name = "k", .work = GpuWork::threads, .layout = layout}).stored;
  };
  EXPECT_EQ(stored(GpuLayout::csr), 12 * 10'000 + 4 * 1000);
  EXPECT_EQ(stored(GpuLayout::coo), 16 * 10'000);
  EXPECT_EQ(stored(GpuLayout::ell), 12 * 10'000);
  s.row_max = 30;
  EXPECT_EQ(stored(GpuLayout::ell), 12 * 30'000) << "as wide as the longest row";
  s.slices = {{64, 1, 15'000}};
  EXPECT_EQ(stored(GpuLayout::sell), 12 * 15'000) << "counted where the structure tells";
}

TEST(GpuProduct, StepsFollowFromWhoMultipliesARow) {
  const Structure s = even_rows(1'000'000, 320);
  const GpuNumbers v100(describe_device("nvidia-v100"));
  const auto steps = [&](GpuKernel kernel) {
    return product_of(s, std::move(kernel)).counts[1] * v100.clock / 400;  // 400 cycles a step
  };
  EXPECT_NEAR(steps({.name = "k", .work = GpuWork::threads}), 320, 1e-6);
  EXPECT_NEAR(steps({.name = "k", .work = GpuWork::warps}), 10, 1e-6) << "32 threads a row";
  EXPECT_NEAR(steps({.name = "k", .work = GpuWork::search}), 1, 1e-6);
  const GpuKernel hyb{.name = "k", .work = GpuWork::search, .layout = GpuLayout::hyb};
  EXPECT_NEAR(steps(hyb), 320, 1e-6) << "a thread walks along the part that is ELL";
}

TEST(GpuProduct, GinkgosEllGivesRowsOfWideMatricesToThreads) {
  const GpuKernel ell{.name = "k", .work = GpuWork::threads, .layout = GpuLayout::ell, .library = GpuLibrary::ginkgo};
  const GpuNumbers v100(describe_device("nvidia-v100"));
  const auto counts = [&](std::int64_t rows, bool wide) {
    const GpuProduct product(even_rows(rows, 320), Precision::double_, ell, v100, {1024, 1e6, wide});
    return std::pair{product.counts[1] * v100.clock / 400, product.counts[2] / static_cast<double>(rows)};
  };
  const auto [alone, one] = counts(1000, false);
  const auto [together, many] = counts(1000, true);
  EXPECT_NEAR(alone, 320, 1e-6);
  EXPECT_NEAR(together, 10, 1e-6);
  EXPECT_NEAR(many / one, 32, 1e-6);
  EXPECT_NEAR(counts(1'000'000, true).first, 320, 1e-6) << "not wide";
}

TEST(GpuDevice, AutomaticCsrIsWhatItChooses) {
  GpuDevice device(GpuModel::current(), describe_device("nvidia-titan-v"), 0);
  const auto runs = [&](const Structure& s, const char* kernel) {
    return device.product(s, Precision::double_, kernel)->kernel;
  };
  EXPECT_EQ(runs(even_rows(1000, 5), "ginkgo-csr"), "ginkgo-csr-classical");
  EXPECT_EQ(runs(even_rows(1'000'000, 5), "ginkgo-csr"), "ginkgo-csr-load-balance");
  EXPECT_EQ(runs(even_rows(1'000'000, 5), "csr"), "csr");
  device.set_strategy({3, 1e300, true});
  EXPECT_EQ(runs(even_rows(1000, 5), "ginkgo-csr"), "ginkgo-csr-load-balance");
}

TEST(GpuDevice, WhatAutomaticCsrChoosesIsLessSureThanTheKernelByItsName) {
  const GpuDevice device(GpuModel::current(), describe_device("nvidia-h100"), 0);
  const Structure s = even_rows(100'000, 9);
  const auto chosen = device.product(s, Precision::double_, "ginkgo-csr");
  const auto named = device.product(s, Precision::double_, chosen->kernel);
  EXPECT_EQ(device.base(*chosen).seconds, device.base(*named).seconds);
  EXPECT_GT(device.interval(*chosen, 9e5).high, device.interval(*named, 9e5).high);
  EXPECT_LT(device.interval(*chosen, 9e5).low, device.interval(*named, 9e5).low);
}

TEST(GpuDevice, AnAgeOfLibrariesHasItsOwnKernelsAndRules) {
  const auto runs = [](const char* device, const std::string& age, const Structure& s, const char* kernel) {
    return GpuDevice(GpuModel::current(), describe_device(device), 0, age)
        .product(s, Precision::double_, kernel)
        ->kernel;
  };
  const Structure few = even_rows(1000, 5), many = even_rows(1'000'000, 5);
  EXPECT_EQ(runs("nvidia-titan-v", "2018", few, "ginkgo-csr"), "ginkgo-csr-classical@2018");
  EXPECT_EQ(runs("nvidia-titan-v", "2018", few, "cusparse-coo"), "cusparse-coo@2018");
  EXPECT_EQ(runs("nvidia-titan-v", "2018", even_rows(1000, 100), "ginkgo-csr"), "ginkgo-csr-load-balance");
  EXPECT_EQ(runs("nvidia-titan-v", "2018", few, "cusparse-csr"), "cusparse-csr@2018");
  EXPECT_EQ(runs("nvidia-titan-v", "early", many, "ginkgo-csr"), "cusparse-csr@2018") << "which it calls";
  EXPECT_EQ(runs("amd-mi100", "2018", few, "ginkgo-csr"), "ginkgo-csr-classical") << "no age of AMD's";
  EXPECT_EQ(runs("tesla-k40m", "", few, "cusparse-coo"), "cusparse-coo@2018") << "as its table had it";
}

TEST(FittedGpu, IntervalsHoldTheirForecastsAndKernelsAreThoseAskedFor) {
  for (const char* name : {"tesla-k40m", "tesla-p100", "nvidia-h100", "amd-mi100", "amd-mi300x"}) {
    const Profile profile = described_profile(describe_device(name));
    const auto model = fit_described_model(profile, {});
    for (const std::string& kernel : described_kernels(profile)) {
      EXPECT_EQ(kernel.find('@'), std::string::npos) << "an age is no kernel to ask for";
      for (const std::int64_t rows : {100, 10'000, 3'000'000}) {
        const auto f = model->forecast(even_rows(rows, 9), kernel);
        const bool of_library = kernel.find("sparse") != std::string::npos || kernel.starts_with("ginkgo");
        ASSERT_TRUE(f || !of_library) << name << kernel;
        if (!f) continue;  // one of ours that is known by its code: it needs more of the structure
        EXPECT_LT(f->low_s, f->seconds) << name << kernel;
        EXPECT_LT(f->seconds, f->high_s) << name << kernel;
        EXPECT_TRUE(f->learned_of || !of_library) << name << kernel;
      }
    }
  }
}

TEST(Recommend, WhatIsRecommendedHasTheLeastExpectedTime) {
  const Profile profile = described_profile(describe_device("tesla-p100"));
  const auto model = fit_described_model(profile, {});
  for (const std::int64_t rows : {100, 30'000, 3'000'000}) {
    std::vector<Forecast> all;
    for (const std::string& kernel : described_kernels(profile))
      all.push_back(*model->forecast(even_rows(rows, 9), kernel));
    const auto chosen = std::ranges::find(all, recommend(all).kernel, &Forecast::kernel);
    ASSERT_NE(chosen, all.end());
    for (const Forecast& other : all) EXPECT_LE(expected_seconds(*chosen), expected_seconds(other)) << other.kernel;
  }
}

TEST(Recommend, OfADescribedMachineLittleSurelySlowerBeatsFasterPerhaps) {
  Forecast sure, unsure;
  sure.kernel = "sure";
  unsure.kernel = "unsure";
  sure.seconds = 1, sure.low_s = 0.9, sure.high_s = 1.1;
  unsure.seconds = 0.9, unsure.low_s = 0.09, unsure.high_s = 9;
  sure.tier = unsure.tier = Tier::data_sheet;
  EXPECT_EQ(recommend({sure, unsure}).kernel, "sure");
  EXPECT_NE(recommend({sure, unsure}).reason.find("unsure is forecast to be faster"), std::string::npos);
  sure.preprocess_s = unsure.preprocess_s = 1;
  EXPECT_EQ(recommend({sure, unsure}, 100).kernel, "sure");
  sure.tier = unsure.tier = Tier::measured;
  EXPECT_EQ(recommend({sure, unsure}).kernel, "unsure");
  EXPECT_EQ(expected_seconds(unsure), unsure.seconds);
}

TEST(FittedGpu, NoForecastIsBelowALaunch) {
  const Structure tiny = even_rows(100, 5);
  for (const auto& [name, least] : {std::pair{"tesla-k40m", 5e-6}, std::pair{"nvidia-v100", 2e-6},
                                    std::pair{"amd-mi250x", 4e-6}, std::pair{"nvidia-h100", 1.5e-6}}) {
    const Profile profile = described_profile(describe_device(name));
    const auto model = fit_described_model(profile, {});
    const std::vector<std::string> kernels = described_kernels(profile);
    int forecast = 0;
    for (const std::string& kernel : kernels) {  // of which some are forecast only where the matrix itself is there
      const std::optional<Forecast> one = model->forecast(tiny, kernel);
      EXPECT_GE(one ? one->seconds : 1, least) << name << ", " << kernel;
      forecast += one ? 1 : 0;
    }
    EXPECT_GE(forecast, 10) << name;
  }
}

TEST(FittedGpu, WhatTablesOfTheDeviceShowIsBelieved) {
  // All are described with 5 µs; the V100's table has kernels that start in less.
  const Profile v100 = described_profile(describe_device("nvidia-v100"));
  const auto model = fit_described_model(v100, {});
  const double measured = GpuModel::current().least_start("ginkgo-ell", "nvidia-v100");
  EXPECT_LT(measured, 4e-6);
  EXPECT_LT(forecast_s(*model, even_rows(100, 5), "ginkgo-ell"), v100.properties.launch_s);
  EXPECT_EQ(GpuModel::current().least_start("ginkgo-ell", "a device of no table"), measured) << "the least of all";
  EXPECT_EQ(GpuModel::current().least_start("no kernel", "nvidia-v100"), 0);
}

TEST(NeverBelowLaunch, SmallProductsKeepTheirOrder) {
  class Counting final : public FittedModel {
    [[nodiscard]] std::optional<Forecast> forecast(const Structure& s, const std::string& kernel) const override {
      Forecast f;
      f.kernel = kernel;
      f.seconds = 1e-9 * static_cast<double>(s.nonzeros) * (kernel == "slow" ? 2 : 1);
      f.low_s = f.seconds / 2;
      f.high_s = f.seconds * 2;
      return f;
    }
  };
  Profile profile = described_profile(describe_device("nvidia-v100"));
  profile.properties.launch_s = 4e-6;
  const auto model = never_below_launch(std::make_unique<Counting>(), profile, FitOptions(),
                                        [](const std::string& kernel) { return kernel == "known" ? 1e-6 : 0; });
  const Structure tiny = even_rows(10, 1);
  const double fast = forecast_s(*model, tiny, "fast"), slow = forecast_s(*model, tiny, "slow");
  EXPECT_LT(fast, slow);
  EXPECT_GE(fast, 4e-6);
  EXPECT_LT(slow, 1.011 * 4e-6);
  EXPECT_NEAR(model->forecast(tiny, "fast")->high_s, 2 * fast, 1e-12);
  EXPECT_NEAR(forecast_s(*model, tiny, "known"), 1e-6, 2e-8);
  EXPECT_DOUBLE_EQ(forecast_s(*model, even_rows(10'000, 1), "fast"), 1e-5);
}

TEST(FittedGpu, ProductsThatAreWaitedForTakeLonger) {
  const Profile titan = described_profile(describe_device("nvidia-titan-v"));
  const Structure tiny = even_rows(100, 5);
  const auto at = [&](double together) {
    FitOptions options;
    options.together = together;
    return forecast_s(*fit_described_model(titan, options), tiny, "ginkgo-csr");
  };
  EXPECT_GT(at(1), 1.5 * at(1000));
  EXPECT_GT(at(10), at(1000));
}

// Times `factor` times what the data sheet tells, of even rows of many sizes.
Profile measured(const char* device, double factor, int count, const char* kernel) {
  Profile profile = described_profile(describe_device(device));
  const auto sheet = fit_described_model(profile, {});
  for (int i = 0; i < count; ++i) {
    const Structure s = even_rows(1000 + 37 * (i % 50) + (std::int64_t{1000} << (i % 11)), 4 + i % 23);
    Record& record = profile.records.emplace_back();
    record.matrix = i;
    record.kernel = kernel;
    record.seconds = factor * forecast_s(*sheet, s, kernel);
    profile.matrices.push_back({{}, s, {}});
  }
  return profile;
}

TEST(FittedGpu, AnchorsMoveForecastsOfTheirKernelAndPartlyOfOthers) {
  Profile anchors = measured("nvidia-titan-v", 1.5, 24, "ginkgo-ell");
  const auto sheet = fit_described_model(described_profile(describe_device("nvidia-titan-v")), {});
  anchors.tier = Tier::anchors;
  const auto model = fit_described_model(anchors, {});
  const Structure other = even_rows(300'000, 9);
  EXPECT_EQ(model->forecast(other, "ginkgo-ell")->tier, Tier::anchors);
  EXPECT_NEAR(forecast_s(*model, other, "ginkgo-ell") / forecast_s(*sheet, other, "ginkgo-ell"), 1.5, 0.15);
  EXPECT_GT(forecast_s(*model, other, "ginkgo-csr") / forecast_s(*sheet, other, "ginkgo-csr"), 1.05);
}

TEST(FittedGpu, ATableTeachesWhatNoDescriptionTells) {
  Profile table = measured("amd-mi250x", 2, 400, "ginkgo-coo");
  for (Record& record : table.records)  // a cost of short rows alone
    if (table.matrices[static_cast<std::size_t>(record.matrix)].structure.row_mean < 10) record.seconds *= 2;
  table.tier = Tier::table;
  const auto model = fit_described_model(table, {});
  const auto sheet = fit_described_model(described_profile(describe_device("amd-mi250x")), {});
  const Structure few = even_rows(130'000, 7), many = even_rows(130'000, 20);
  const auto ratio = [&](const Structure& s) {
    return forecast_s(*model, s, "ginkgo-coo") / forecast_s(*sheet, s, "ginkgo-coo");
  };
  EXPECT_NEAR(ratio(few), 4, 0.6);
  EXPECT_NEAR(ratio(many), 2, 0.3);
  const auto forecast = model->forecast(few, "ginkgo-coo");
  EXPECT_LT(forecast->low_s, forecast->seconds);
  EXPECT_LT(forecast->seconds, forecast->high_s);
  EXPECT_LT(forecast->high_s / forecast->low_s, 3) << "its own matrices tell the width";
}

TEST(GpuModel, RefusesAnotherDocumentByItsName) {
  try {
    (void)GpuModel(nlohmann::ordered_json::parse(R"({"schema": "sparsecast/gpu-model/0"})"), "other.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.place().file, "other.json");
  }
}
}  // namespace
}  // namespace sparsecast::forecast
