#include "base/machine/control_groups.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

// Version 1 lists the controllers of a hierarchy in an order of the system's own, and mounts it under that list.
TEST(Cores, AreFoundInEverySpellingOfAHierarchy) {
  for (const char* listed : {"cpu,cpuacct", "cpuacct,cpu", "cpu"})
    for (const char* mounted : {"cpu,cpuacct", "cpuacct,cpu", "cpu"}) {
      const test::TemporaryFolder folder;
      const auto put = [&](const std::string& file, const std::string& text) {
        std::filesystem::create_directories((folder.path() / file).parent_path());
        return folder.write(file, text);
      };
      const auto own = put("own", std::string("6:cpuset:/\n5:") + listed + ":/box/inner\n");
      put(std::string(mounted) + "/box/cpu.cfs_quota_us", "75000\n");
      put(std::string(mounted) + "/box/cpu.cfs_period_us", "100000\n");
      const bool links = std::string(mounted) != "cpu" && std::string(listed) == "cpu";  // then a link "cpu" is there
      EXPECT_EQ(group_cores(own, folder.path()), links ? std::numeric_limits<double>::infinity() : 0.75)
          << listed << " under " << mounted;
    }
}

TEST(Memory, IsNoMoreThanControlGroupsAllow) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  const test::TemporaryFolder folder;
  const auto put = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories((folder.path() / file).parent_path());
    return folder.write(file, text);
  };
  const auto second = put("second", "0::/pod/box\n");
  const auto first = put("first", "7:hugetlb:/\n4:memory:/box\n3:cpu,cpuacct:/\n");
  EXPECT_EQ(group_memory(second, folder.path()), none) << "no file limits it";
  put("pod/memory.max", "209715200\n");
  put("pod/box/memory.max", "max\n");
  EXPECT_EQ(group_memory(second, folder.path()), 209'715'200) << "the group above limits it too";
  put("memory/box/memory.limit_in_bytes", "9223372036854771712\n");
  put("memory/memory.limit_in_bytes", "104857600\n");
  EXPECT_EQ(group_memory(first, folder.path()), 104'857'600);
  EXPECT_EQ(group_memory(folder.path() / "none", folder.path()), none);
}

}  // namespace
}  // namespace sparsecast::base
