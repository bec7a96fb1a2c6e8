// The curves of a calibration's first seconds: told step by step, kept when stopped, not measured twice.

#include "hardware/host/host_curves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sparsecast/error.hpp>
#include <string>
#include <vector>

#include "base/interrupt.hpp"

namespace sparsecast::test {
namespace {

// Caches so small that the largest footprint takes no time.
DeviceProperties small_host() {
  DeviceProperties properties;
  properties.memory_bytes = 1 << 30;
  properties.caches = {{1, 16 << 10, 64, 1}};
  return properties;
}

TEST(HostCurves, AreKeptWhereTheyAreStoppedAndGoneOnWith) {
  std::vector<Curve> curves;
  std::vector<std::string> told;
  const auto stop_at_the_second = [&](const base::ProgressStep& step) {
    told.push_back(step.what);
    if (step.what.starts_with("gather rate")) base::request_interrupt();
  };
  try {
    hardware::measure_host_curves(curves, small_host(), 1, true, stop_at_the_second);
    FAIL() << "not interrupted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
  base::forget_interrupt();
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].name, "read_bandwidth");
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front(), "read bandwidth of 8.19 kB") << "from the first step on";

  const std::vector<double> before = curves[0].y;
  told.clear();
  double done = -1;
  hardware::measure_host_curves(curves, small_host(), 1, true, [&](const base::ProgressStep& step) {
    told.push_back(step.what);
    EXPECT_GT(step.done, done);
    EXPECT_LT(step.done, 1);
    done = step.done;
  });
  EXPECT_TRUE(told.front().starts_with("gather rate")) << told.front();
  EXPECT_EQ(curves[0].y, before);
  std::vector<std::string> names;
  for (const Curve& curve : curves) names.push_back(curve.name);
  EXPECT_EQ(names, (std::vector<std::string>{"read_bandwidth", "gather_rate", "dot_bandwidth", "update_bandwidth",
                                             "latency", "fresh_bandwidth", "launch"}));

  told.clear();
  hardware::measure_host_curves(curves, small_host(), 1, true,
                                [&](const base::ProgressStep& step) { told.push_back(step.what); });
  EXPECT_TRUE(told.empty()) << told.front();
  EXPECT_EQ(curves.size(), 7U);
}

}  // namespace
}  // namespace sparsecast::test
