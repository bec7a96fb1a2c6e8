// How sure a GPU's numbers are, and what products would teach of a ranking.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sparsecast/device.hpp>
#include <sparsecast/profile.hpp>

#include "base/embedded.hpp"
#include "calibration/probe_script.hpp"
#include "forecast/machines/gpu_device.hpp"
#include "forecast/machines/gpu_doubt.hpp"
#include "forecast/machines/gpu_model.hpp"
#include "forecast/machines/gpu_reach.hpp"
#include "forecast/machines/lesson.hpp"
#include "forecast/machines/ranking.hpp"
#include "forecast/model_set.hpp"

namespace sparsecast::forecast {
namespace {

// A product that is nothing but its launch; trees say nothing.
GpuSlopes launch() {
  GpuBase base;
  base.seconds = base.floor = base.parts[0] = 1;
  return {base, 0};
}

TEST(GpuDoubt, FallsAsANormalDistributionHasIt) {
  GpuDoubt doubt(false);
  const double common = 0.7 * 0.7, own = 0.5 * 0.5 + 0.15 * 0.15, noise = 0.04;
  EXPECT_NEAR(doubt.variance("a", launch()), common + own, 1e-12);
  doubt.add("a", launch(), 1 / noise);
  EXPECT_NEAR(doubt.variance("a", launch()), 1 / (1 / (common + own) + 1 / noise), 1e-12);
  // Of another kernel it tells what both have in common.
  EXPECT_NEAR(doubt.variance("b", launch()), common + own - common * common / (common + own + noise), 1e-12);
}

Structure grid(std::int64_t rows) { return calibration::BandMatrix{rows, 7, 1}.shape(); }

TEST(GpuDevice, ASupposedProductNarrowsTheIntervalOfItsKernelMost) {
  const GpuDevice device(GpuModel::current(), describe_device("nvidia-h100"), 0);
  const auto product = device.product(grid(100'000), Precision::double_, "cusparse-csr");
  const auto width = [&](const std::string& kernel, const std::vector<GpuTold>& told) {
    const auto product = device.product(grid(100'000), Precision::double_, kernel);
    const auto [low, high] = device.interval(*product, 7e5, told);
    return high - low;
  };
  const std::vector<GpuTold> told(8, {"cusparse-csr", device.slopes(*product)});
  EXPECT_LT(width("cusparse-csr", told), width("cusparse-coo", told));
  EXPECT_LT(width("cusparse-coo", told), width("cusparse-coo", {}));
  const auto [low, high] = GpuModel::current().by_data_sheet("cusparse-csr", GpuGeneration::volta).at(7e5);
  EXPECT_NEAR(width("cusparse-csr", {}), high - low, 1e-12);
}

TEST(GpuReach, StudentsQuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(student_quantile(0.95, 1), 6.314, 1e-3);
  EXPECT_NEAR(student_quantile(0.95, 3), 2.353, 1e-3);
  EXPECT_NEAR(student_quantile(0.975, 10), 2.228, 1e-3);
  EXPECT_NEAR(student_quantile(0.95, 1000), 1.646, 1e-3);
}

GpuReach reach(int devices, double median, double products) {
  GpuReach of{devices, {}};
  of.decades.fill({median * median, products * products, products * products});
  return of;
}

TEST(GpuReach, NoBoardOfTheCatalogueIsBeyondAllOthers) {
  ASSERT_GE(described_devices().size(), 100U);
  for (const std::string& name : described_devices()) {
    const DeviceProperties device = describe_device(name);
    EXPECT_EQ(device.kind == DeviceKind::host ? 1 : beyond_boards(device), 1) << name;
  }
  for (const double times : {1.0, 10.0}) {
    DeviceProperties board = describe_device("nvidia-h100");
    board.memory_bandwidth *= times;
    const Profile profile = described_profile(board);
    const auto forecasts = ModelSet("best", profile, {}).best(grid(100'000), {"csr-vector", "cusparse-csr"});
    ASSERT_EQ(forecasts.size(), 2U) << "by its code, and as the tables' devices";
    for (const Forecast& f : forecasts) {
      EXPECT_EQ(f.extrapolated, times > 1) << f.kernel;
      EXPECT_GE(f.high_s / f.seconds, beyond_boards(board)) << f.kernel << ": what is beyond may bring nothing";
    }
  }
}

// Of processors too: what is known of described machines was measured in double precision.
TEST(GpuReach, AnotherPrecisionThanWhatWasMeasuredIsLessSure) {
  for (const char* const name : {"nvidia-h100", "amd-epyc-7763"}) {
    const Profile profile = described_profile(describe_device(name));
    const auto widths = [&](Precision precision) {
      std::map<std::string, double> of;
      for (const Forecast& f :
           ModelSet("best", profile, {.precision = precision}).best(grid(100'000), {"csr", "csr-vector"})) {
        of[f.kernel] = std::log(f.high_s / f.low_s);
        EXPECT_EQ(f.extrapolated, precision == Precision::single_) << name << ' ' << f.kernel;
      }
      return of;
    };
    const auto measured = widths(Precision::double_);
    ASSERT_FALSE(measured.empty()) << name;
    for (const auto& [kernel, width] : widths(Precision::single_))
      EXPECT_GT(width, measured.at(kernel)) << name << kernel;
  }
}

TEST(GpuReach, NeverNarrowerForAKernelSeenOnFewerDevices) {
  const GpuReach common = reach(0, 0.3, 0.2);
  for (const double median : {0.01, 0.3, 2.0})
    for (const double products : {0.05, 0.2, 1.0}) {
      double before = INFINITY;
      for (const int devices : {1, 2, 3, 6, 20, 30}) {
        const auto [low, high] =
            interval_of_next(reach(devices, median, products), common, OfFewDevices::medians).at(1e6);
        EXPECT_LE(high, before) << median << ' ' << products << ' ' << devices;
        EXPECT_NEAR(low, -high, 1e-12);
        before = high;
      }
    }
}

TEST(GpuReach, AKernelThatWasOffByMoreIsLessSure) {
  const GpuReach common = reach(0, 0.3, 0.2);
  const auto high = [&](double median) {
    return interval_of_next(reach(2, median, 0.2), common, OfFewDevices::medians).at(1e4).high;
  };
  EXPECT_LT(high(0.1), high(0.5));
  EXPECT_GT(high(2), 2.5) << "two devices, each off by seven times, tell of no third";
}

TEST(GpuReach, FewDevicesDoNotTellHowFarProductsScatterEither) {
  const auto high = [](int devices, OfFewDevices what) {
    return interval_of_next(reach(devices, 0, 0.2), reach(0, 0, 0.2), what).at(1e4).high;
  };
  EXPECT_NEAR(high(2, OfFewDevices::medians), 0.2, 1e-12);
  // 0.95 of Student's distribution of 2 and 1.5 degrees of freedom over 1.645, the normal's.
  EXPECT_NEAR(high(2, OfFewDevices::medians_and_products), 0.2 * student_quantile(0.95, 3.5) / 1.6449, 1e-4);
}

TEST(GpuModel, AKernelThatWasJudgedNowhereIsAsSureAsItsNamesakeOfAnotherAge) {
  auto document = nlohmann::ordered_json::parse(embedded::gpu_model()[0].text);
  auto& judged = document.at("intervals").at("data sheet");
  ASSERT_TRUE(judged.contains("ginkgo-csr-merge@2018"));
  ASSERT_EQ(judged.erase("ginkgo-csr-merge"), 1U);
  const GpuModel model(document, "model");
  const auto high = [&](const std::string& kernel) {
    return model.by_data_sheet(kernel, GpuGeneration::amd).at(1e4).high;
  };
  EXPECT_EQ(high("ginkgo-csr-merge"), high("ginkgo-csr-merge@2018"));
  EXPECT_GT(high("ginkgo-csr-merge"), 2 * high("of nobody")) << "which is as sure as kernels are in common";
}

TEST(GpuModel, DevicesOfAnotherVendorMakeNoKernelSurer) {
  // Ginkgo's COO is in the tables of four NVIDIA devices and two of AMD's.
  const auto width = [](GpuGeneration generation) {
    const auto [low, high] = GpuModel::current().by_data_sheet("ginkgo-coo", generation).at(1e4);
    return high - low;
  };
  EXPECT_GT(width(GpuGeneration::amd), width(GpuGeneration::volta));
}

TEST(GpuModel, AnchorsMakeNoKernelLessSure) {
  const GpuModel& model = GpuModel::current();
  for (const char* kernel : {"ginkgo-coo", "ginkgo-sellp", "ginkgo-hybrid", "cusparse-csr", "cusparse-coo"})
    for (const auto generation : {GpuGeneration::kepler, GpuGeneration::volta, GpuGeneration::amd})
      for (const double nonzeros : {1e3, 1e4, 1e5, 1e6, 1e7}) {
        const auto sheet = model.by_data_sheet(kernel, generation).at(nonzeros);
        const auto anchors = model.by_anchors(kernel, generation).at(nonzeros);
        EXPECT_GE(anchors.low, sheet.low) << kernel << ' ' << nonzeros;
        EXPECT_LE(anchors.high, sheet.high) << kernel << ' ' << nonzeros;
      }
}

// What is left of anchors that scatter by `by` to both sides of their forecasts, and the interval of one more.
double width_with_anchors(double by) {
  GpuDevice device(GpuModel::current(), describe_device("nvidia-h100"), 0);
  std::vector<GpuProduct> products;
  for (std::int64_t rows = 50'000; rows < 1'000'000; rows += 50'000)
    products.push_back(*device.product(grid(rows), Precision::double_, "cusparse-csr"));
  std::vector<GpuObservation> anchors;
  for (const GpuProduct& product : products) {
    const GpuBase base = device.base(product);
    const double off = anchors.size() % 2 == 0 ? by : -by;
    anchors.push_back({&product, base.seconds * std::exp(device.learned(product, base) + off)});
  }
  device.learn(anchors, true);
  device.learn_scatter(anchors);
  const auto [low, high] = device.interval(products.front(), 3.5e5);
  return high - low;
}

TEST(GpuDevice, AnchorsTellHowFarProductsScatter) {
  EXPECT_LT(width_with_anchors(0.01), width_with_anchors(0.3));
  EXPECT_LT(width_with_anchors(0.3), width_with_anchors(1));
  EXPECT_LT(width_with_anchors(3), 2 * width_with_anchors(0.01)) << "nineteen products count beside a hundred";
}

TEST(Lesson, IsOfADescribedMachineAtTheTop) {
  // Launches and waits, of which other kernels' products tell much, decide small products.
  const Structure structure = grid(2'000);
  int lessons = 0;
  // Where few products lower the doubt too little, none are asked for.
  for (const auto& pair : {std::array{"amd-mi250", "amd-mi300x"},
                           {"tesla-p100", "nvidia-v100"},
                           {"tesla-k40m", "tesla-p100"},
                           {"amd-mi100", "tesla-p100"},
                           {"tesla-k20xm", "amd-mi210"}}) {
    std::vector<RankedMachine> machines;
    for (const char* name : pair) {
      const Profile profile = described_profile(describe_device(name));
      machines.push_back({name, profile,
                          std::make_shared<ModelSet>("best", profile, FitOptions{Precision::double_, 0, {}}),
                          kernels_of(profile)});
    }
    std::vector<RankEntry> ranking = rank_machines(machines, structure, 1000, Precision::double_);
    ASSERT_EQ(ranking.size(), 2U);
    // As if both took the same time: nothing is less sure.
    ranking[1].total_s = ranking[0].total_s;
    ranking[0].faster_probability = faster_probability(ranking[0], ranking[1]);
    EXPECT_NEAR(ranking[0].faster_probability, 0.5, 1e-12);
    const auto lesson = lesson_of(machines, ranking, structure, Precision::double_);
    if (lesson) {
      ++lessons;
      EXPECT_NEAR(lesson->doubt, 0.5, 1e-12);
      EXPECT_LT(lesson->doubt_after, 0.45);
      EXPECT_LE(lesson->products.size(), 16U);
    }
    ranking[0].faster_probability = 0.95;
    EXPECT_FALSE(lesson_of(machines, ranking, structure, Precision::double_)) << "it is sure";
  }
  EXPECT_GT(lessons, 0);
}

}  // namespace
}  // namespace sparsecast::forecast
