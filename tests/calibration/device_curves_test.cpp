// Curves that tell of waiting rather than of the machine.

#include <gtest/gtest.h>

#include "calibration/device_curves.hpp"

namespace sparsecast::calibration {
namespace {

// One thread reads 60 GB/s and two 100, beside what starting them costs: half a microsecond.
Profile profile_of_two_threads() {
  Profile profile;
  Curve one{"read_bandwidth", 1, {}, {}}, two{"read_bandwidth", 2, {}, {}};
  for (double bytes = 8192; bytes < 1e8; bytes *= 4) {
    one.x.push_back(bytes);
    one.y.push_back(6e10);
    two.x.push_back(bytes);
    two.y.push_back(bytes / (5e-7 + bytes / 1e11));
  }
  profile.curves = {one, two, {"launch", 1, {1}, {0}}, {"launch", 2, {2}, {5e-7}}};
  return profile;
}

TEST(DeviceCurves, WhatStartingThreadsCostsIsNoWait) {
  EXPECT_FALSE(waited_for_cores(profile_of_two_threads(), 2));
  EXPECT_FALSE(waited_for_cores(profile_of_two_threads(), 1));
}

TEST(DeviceCurves, OnePointThatWaitedForATimeSliceIsSeen) {
  Profile profile = profile_of_two_threads();
  profile.curves[1].y[2] = profile.curves[1].x[2] / 8e-3;
  EXPECT_TRUE(waited_for_cores(profile, 2));
}

TEST(DeviceCurves, GathersThatWaitedAreSeen) {
  Profile profile = profile_of_two_threads();
  const std::vector<double> bytes{8192, 8192 * 1024};
  profile.curves.push_back({"gather_rate", 1, bytes, {2e9, 1e8}});
  profile.curves.push_back({"gather_rate", 2, bytes, {4096 / (5e-7 + 4096 / 4e9), 2e8}});
  EXPECT_FALSE(waited_for_cores(profile, 2)) << "what starting the threads costs";
  profile.curves.back().y[0] = 4096 / 0.136;
  EXPECT_TRUE(waited_for_cores(profile, 2));
}

TEST(DeviceCurves, WithoutOneThreadsCurveNothingIsSaid) {
  Profile profile = profile_of_two_threads();
  profile.curves[1].y[2] = 1;
  profile.curves.erase(profile.curves.begin());
  EXPECT_FALSE(waited_for_cores(profile, 2));
}

}  // namespace
}  // namespace sparsecast::calibration
