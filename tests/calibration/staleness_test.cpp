
#include <gtest/gtest.h>

#include "calibration/staleness.hpp"

namespace sparsecast::calibration {
namespace {

DeviceProperties machine() {
  DeviceProperties host;
  host.name = "host";
  host.kind = DeviceKind::host;
  host.model = "Processor One";
  host.microcode = "0x1";
  host.compute_units = 8;
  host.driver = "compiler 12.2.0";
  return host;
}

TEST(Staleness, TheSameMachineHasNotChanged) { EXPECT_TRUE(changes_since(machine(), machine()).empty()); }

TEST(Staleness, EveryPartIsCompared) {
  const auto only = [](auto change) {
    DeviceProperties now = machine();
    change(now);
    const std::vector<std::string> changes = changes_since(machine(), now);
    return changes.size() == 1 ? changes[0] : "other than one change";
  };
  EXPECT_EQ(only([](DeviceProperties& p) { p.model = "Processor Two"; }), "processor Processor One, now Processor Two");
  EXPECT_EQ(only([](DeviceProperties& p) { p.microcode = "0x2"; }), "microcode 0x1, now 0x2");
  EXPECT_EQ(only([](DeviceProperties& p) { p.compute_units = 4; }), "cores 8, now 4");
  EXPECT_EQ(only([](DeviceProperties& p) { p.driver = "compiler 14.1.0"; }),
            "built by compiler 12.2.0, now compiler 14.1.0");
}

TEST(Staleness, AGpuHasADriver) {
  DeviceProperties then = machine(), now = machine();
  then.kind = now.kind = DeviceKind::cuda;
  then.driver = "12.2";
  now.driver = "12.4";
  EXPECT_EQ(changes_since(then, now), std::vector<std::string>{"driver 12.2, now 12.4"});
}

// A profile from before these were kept, or imported.
TEST(Staleness, WhatIsNotKnownIsNoChange) {
  EXPECT_TRUE(changes_since(DeviceProperties{}, machine()).empty());
  EXPECT_TRUE(changes_since(machine(), DeviceProperties{}).empty());
  DeviceProperties old = machine();
  old.microcode.clear();
  EXPECT_TRUE(changes_since(old, machine()).empty());
}

// Measuring more does not make older records those of today's microcode and driver.
TEST(Staleness, StaysToldAfterMoreWasMeasured) {
  DeviceProperties now = machine();
  now.microcode = "0x2";
  now.driver = "compiler 14.1.0";
  now.memory_bytes = 1 << 30;
  EXPECT_EQ(changes_since(measured_on(now, machine()), now), changes_since(machine(), now));
  EXPECT_EQ(measured_on(now, machine()).memory_bytes, 1 << 30);
  now = machine();
  now.compute_units = 16;
  EXPECT_TRUE(changes_since(measured_on(now, machine()), now).empty()) << "the other cores were measured now";
  now.compute_units = 4;
  EXPECT_EQ(measured_on(now, machine()).compute_units, 8) << "calibrated within a set of cores";
}

}  // namespace
}  // namespace sparsecast::calibration
