#include "base/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/command.hpp"

namespace sparsecast::base {
namespace {

// What a kernel tells of control groups, as files of our own.
TEST(Cores, AreNoMoreThanControlGroupsHaveTimeFor) {
  const test::TemporaryFolder folder;
  const auto put = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories((folder.path() / file).parent_path());
    return folder.write(file, text);
  };
  const auto second = put("second", "0::/pod/box\n");
  const auto first = put("first", "9:name=systemd:/\n4:memory:/box\n3:cpu,cpuacct:/box\n0::/\n");
  EXPECT_TRUE(std::isinf(group_cores(second, folder.path()))) << "no file limits it";
  put("pod/cpu.max", "150000 100000\n");
  put("pod/box/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(group_cores(second, folder.path()), 1.5) << "the group above limits it too";
  EXPECT_TRUE(std::isinf(group_cores(first, folder.path())));
  put("cpu/cpu.cfs_quota_us", "-1\n");
  put("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_TRUE(std::isinf(group_cores(first, folder.path()))) << "-1 is no limit";
  put("cpu/cpu.cfs_quota_us", "400000\n");
  EXPECT_DOUBLE_EQ(group_cores(first, folder.path()), 4) << "a container sees its own group at the top";
  put("cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(group_cores(second, folder.path()), 0.5);
  EXPECT_TRUE(std::isinf(group_cores(folder.path() / "none", folder.path())));
}

}  // namespace
}  // namespace sparsecast::base
