// How sure a GPU's numbers are, and what products would teach of a ranking.

#include <gtest/gtest.h>

#include <cmath>
#include <sparsecast/device.hpp>
#include <sparsecast/profile.hpp>

#include "calibration/probe_script.hpp"
#include "forecast/machines/gpu_device.hpp"
#include "forecast/machines/gpu_doubt.hpp"
#include "forecast/machines/gpu_model.hpp"
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
  const auto [low, high] = GpuModel::current().by_data_sheet().at(7e5);
  EXPECT_NEAR(width("cusparse-csr", {}), high - low, 1e-12);
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
