// How sure a GPU's numbers are, and what products would teach of a ranking.

#include <gtest/gtest.h>

#include <cmath>
#include <sparsecast/device.hpp>
#include <sparsecast/profile.hpp>

#include "calibration/probe_script.hpp"
#include "forecast/machines/gpu_device.hpp"
#include "forecast/machines/gpu_doubt.hpp"
#include "forecast/machines/gpu_model.hpp"
#include "forecast/machines/gpu_reach.hpp"
#include "forecast/machines/lesson.hpp"
#include "forecast/machines/ranking.hpp"

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
  const auto [low, high] = GpuModel::current().by_data_sheet("cusparse-csr").at(7e5);
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

TEST(GpuReach, NeverNarrowerForAKernelSeenOnFewerDevices) {
  const GpuReach common = reach(0, 0.3, 0.2);
  for (const double median : {0.01, 0.3, 2.0})
    for (const double products : {0.05, 0.2, 1.0}) {
      double before = INFINITY;
      for (const int devices : {1, 2, 3, 6, 20, 30}) {
        const auto [low, high] = interval_of_next(reach(devices, median, products), common).at(1e6);
        EXPECT_LE(high, before) << median << ' ' << products << ' ' << devices;
        EXPECT_NEAR(low, -high, 1e-12);
        before = high;
      }
    }
}

TEST(GpuReach, AKernelThatWasOffByMoreIsLessSure) {
  const GpuReach common = reach(0, 0.3, 0.2);
  const auto high = [&](double median) { return interval_of_next(reach(2, median, 0.2), common).at(1e4).high; };
  EXPECT_LT(high(0.1), high(0.5));
  EXPECT_GT(high(2), 2.5) << "two devices, each off by seven times, tell of no third";
}

TEST(Lesson, IsOfADescribedMachineAtTheTop) {
  std::vector<RankedMachine> machines;
  for (const char* name : {"amd-mi250", "amd-mi300x"}) {
    const Profile profile = described_profile(describe_device(name));
    machines.push_back({profile, std::make_shared<ModelSet>("best", profile, FitOptions{Precision::double_, 0, {}}),
                        kernels_of(profile)});
  }
  const Structure structure = grid(200'000);
  std::vector<RankEntry> ranking = rank_machines(machines, structure, 1000, Precision::double_);
  ASSERT_EQ(ranking.size(), 2U);
  // As if both took the same time: nothing is less sure.
  ranking[1].total_s = ranking[0].total_s;
  ranking[0].faster_probability = faster_probability(ranking[0], ranking[1]);
  EXPECT_NEAR(ranking[0].faster_probability, 0.5, 1e-12);
  const auto lesson = lesson_of(machines, ranking, structure, Precision::double_);
  ASSERT_TRUE(lesson);
  EXPECT_NEAR(lesson->doubt, 0.5, 1e-12);
  EXPECT_LT(lesson->doubt_after, 0.45);
  EXPECT_LE(lesson->products.size(), 16U);
  ranking[0].faster_probability = 0.95;
  EXPECT_FALSE(lesson_of(machines, ranking, structure, Precision::double_)) << "it is sure";
}

}  // namespace
}  // namespace sparsecast::forecast
