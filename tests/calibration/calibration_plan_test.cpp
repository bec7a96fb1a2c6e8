#include "calibration/plan/calibration_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "calibration/plan/paper_grids.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

const std::vector<std::string> host_kernels{"csr", "csr-scalar", "csr-merge", "ell", "coo", "hyb", "jad", "sell"};

std::vector<calibration::PlanStep> host_plan(int threads, bool quick) {
  return calibration::calibration_plan(test::empty_host_profile(threads).properties, host_kernels, Precision::double_,
                                       quick);
}

// The papers' grids without the survey; never none of them.
std::vector<calibration::PlanStep> grids(std::vector<calibration::PlanStep> plan) {
  std::erase_if(plan, [](const calibration::PlanStep& step) { return step.spec.strips == 0; });
  EXPECT_GT(plan.size(), 20U);
  return plan;
}

TEST(CalibrationPlan, RowsAreStripsTimesTheStrip) {
  for (const calibration::PlanStep& step : grids(host_plan(2, false)))
    EXPECT_EQ(step.spec.rows, step.spec.strips * 2048) << step.spec.kind;
}

TEST(CalibrationPlan, GivesEveryPaperFormItsLines) {
  for (const bool quick : {false, true}) {
    for (const char* kind : {"constant", "normal", "uniform"}) {
      std::set<std::int64_t> strips;
      std::set<double> lengths;
      for (const calibration::PlanStep& step : host_plan(2, quick)) {
        if (step.spec.kind != kind || std::ranges::find(step.kernels, "csr") == step.kernels.end()) continue;
        strips.insert(step.spec.strips);
        lengths.insert(step.spec.row_length);
      }
      EXPECT_GE(strips.size(), 3U) << kind;
      EXPECT_GE(lengths.size(), 3U) << kind;
    }
  }
}

TEST(CalibrationPlan, MeasuresFormsOnMatricesWithTheirStructureAlone) {
  const std::vector<std::string> kernels{"csr", "dia", "bsr", "csr-sym"};
  for (const bool quick : {false, true}) {
    std::map<std::string, std::set<std::string>> kinds;  // of every form
    std::map<std::string, int> matrices;
    for (const calibration::PlanStep& step :
         calibration::calibration_plan(test::empty_host_profile(2).properties, kernels, Precision::double_, quick)) {
      if (step.kernels == std::vector<std::string>{"csr"}) continue;
      for (const std::string& kernel : step.kernels) {
        kinds[kernel].insert(step.spec.kind);
        ++matrices[kernel];
      }
    }
    EXPECT_EQ(kinds["dia"], (std::set<std::string>{"banded", "poisson2d", "poisson3d", "stencil27"}));
    EXPECT_EQ(kinds["bsr"], (std::set<std::string>{"blocks"}));
    EXPECT_EQ(kinds["csr-sym"].size(), 6U);
    // Enough to learn a correction from.
    for (const char* kernel : {"dia", "bsr", "csr-sym"}) EXPECT_GE(matrices[kernel], 12) << kernel;
  }
}

TEST(CalibrationPlan, VariantsAreNotMeasured) {
  const std::vector<std::string> kernels{"csr", "sell", "sell-8-1", "sell-32-1024"};
  for (const bool quick : {false, true})
    for (const calibration::PlanStep& step :
         calibration::calibration_plan(test::empty_host_profile(2).properties, kernels, Precision::double_, quick))
      for (const std::string& kernel : step.kernels) EXPECT_TRUE(kernel == "csr" || kernel == "sell") << kernel;
}

TEST(CalibrationPlan, CooIsMeasuredAtOneStripOfRows) {
  int steps = 0;
  for (const calibration::PlanStep& step : host_plan(2, false))
    if (step.spec.kind == "constant" && step.kernels == std::vector<std::string>{"coo"}) {
      EXPECT_EQ(step.spec.strips, 1);
      ++steps;
    }
  EXPECT_GE(steps, 3);
}

TEST(CalibrationPlan, HasNoMatrixTwiceAndNoRowLongerThanItsMatrixIsWide) {
  std::set<std::tuple<std::string, std::int64_t, double>> seen;
  for (const calibration::PlanStep& step : grids(host_plan(1, false))) {
    EXPECT_TRUE(seen.insert({step.spec.kind, step.spec.rows, step.spec.row_length}).second);
    EXPECT_LE(step.spec.row_length, static_cast<double>(step.spec.cols));
  }
}

TEST(CalibrationPlan, BeginsWithTheSurveyForEveryKernel) {
  const auto plan = host_plan(2, true);
  ASSERT_EQ(plan[0].spec.kind, "structured");
  EXPECT_EQ(plan[0].kernels, host_kernels);
}

TEST(CalibrationPlan, HoldsMatricesBeyondTheLastCache) {
  DeviceProperties host = test::empty_host_profile(2).properties;
  host.memory_bytes = std::int64_t{64} << 30;
  constexpr double last = 32 << 20;
  host.caches = {{.level = 3, .size_bytes = static_cast<std::int64_t>(last)}};
  for (const bool quick : {false, true}) {
    const auto plan = calibration::calibration_plan(host, host_kernels, Precision::double_, quick);
    const auto is_large = [&](const calibration::PlanStep& step) {
      return step.kernels == host_kernels && 12 * step.work / static_cast<double>(host_kernels.size()) > 2 * last;
    };
    EXPECT_GE(std::ranges::count_if(plan, is_large), quick ? 2 : 4);
  }
}

TEST(CalibrationPlan, HoldsMatricesBeyondTheCacheOfAGpuButNotOfAProcessorsOpenCl) {
  DeviceProperties gpu;
  gpu.kind = DeviceKind::cuda;
  gpu.compute_units = 132;
  gpu.threads_per_unit = 2048;
  gpu.warp_size = 32;
  gpu.memory_bytes = std::int64_t{80} << 30;
  gpu.caches = {{.level = 2, .size_bytes = 50 << 20}};
  const std::vector<std::string> kernels{"csr-vector", "sell", "sell-compact"};
  const auto large = [&] {
    return std::ranges::count_if(
        calibration::calibration_plan(gpu, kernels, Precision::double_, true),
        [&](const calibration::PlanStep& step) { return step.kernels == kernels && step.work > 3 * 9e6; });
  };
  EXPECT_EQ(large(), 2);
  gpu.kind = DeviceKind::opencl;
  gpu.limits["host_processor"] = 1;
  EXPECT_EQ(large(), 0);
}

// Both lines of CSR on both sides of the break at 1,024, whatever the threads: two lengths at one number of strips, two
// numbers of strips at one length.
TEST(PaperGrids, HaveBothLinesForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 8, 16}) {
    const std::vector<calibration::PlanStep> plan =
        calibration::paper_grids(test::empty_host_profile(threads).properties, {"csr", "ell"}, Precision::double_);
    for (const char* kind : {"constant", "normal", "uniform"}) {
      std::map<double, std::set<std::int64_t>> lines;
      std::map<std::int64_t, std::set<double>> lengths;
      for (const calibration::PlanStep& step : plan) {
        if (step.spec.kind != kind || step.spec.row_length < 1024 || step.kernels.front() != "csr") continue;
        lines[step.spec.row_length].insert(step.spec.rows);
        lengths[step.spec.rows].insert(step.spec.row_length);
      }
      const auto two = [](const auto& group) { return group.second.size() >= 2; };
      EXPECT_TRUE(std::ranges::any_of(lines, two)) << kind << ", " << threads << " threads";
      EXPECT_TRUE(std::ranges::any_of(lengths, two)) << kind << ", " << threads << " threads";
    }
  }
}

TEST(CalibrationPlan, SmallMatricesComeFirst) {
  const auto plan = grids(host_plan(2, true));
  EXPECT_TRUE(std::ranges::is_sorted(
      plan, {}, [](const calibration::PlanStep& s) { return static_cast<double>(s.spec.rows) * s.spec.row_length; }));
}

// Guo et al. 2014, section 3.2: CSR (G − 4(R+1))/(8R), ELL G/(8R), COO G/(12R) in single precision. 800,000 bytes hold
// 1,000 rows of 100 entries of 8 bytes, but not their 1,001 row pointers as well; of 12 bytes 66 and two thirds.
TEST(CalibrationPlan, LargestRowLengthIsThePapers) {
  constexpr std::int64_t memory = 800'000, rows = 1000;
  EXPECT_EQ(calibration::largest_row_length("csr", memory, rows, Precision::single_), 99);
  EXPECT_EQ(calibration::largest_row_length("ell", memory, rows, Precision::single_), 100);
  EXPECT_EQ(calibration::largest_row_length("coo", memory, rows, Precision::single_), 66);
  EXPECT_EQ(calibration::largest_row_length("ell", memory, rows, Precision::double_), 66);
  EXPECT_EQ(calibration::largest_row_length("csr", memory, 0, Precision::single_), 0);
}

TEST(CalibrationPlan, IsBoundByTheDevicesMemory) {
  DeviceProperties small = test::empty_host_profile(2).properties;
  small.memory_bytes = 1 << 20;
  const auto plan = calibration::calibration_plan(small, host_kernels, Precision::double_, false);
  EXPECT_GT(plan.size(), 20U);
  for (const calibration::PlanStep& step : plan)
    EXPECT_LE(12 * static_cast<double>(step.spec.rows) * step.spec.row_length, 1 << 20);
}

}  // namespace
}  // namespace sparsecast
