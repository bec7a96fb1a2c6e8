#include "base/control_groups.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace sparsecast::base {
namespace {
namespace fs = std::filesystem;

// One line of /proc/self/cgroup: "0::/pod/box" of version 2, "5:cpuacct,cpu:/box" of version 1, whose controllers stand
// in an order of the system's own.
struct Membership {
  std::string controllers;  // of version 1
  std::string path;         // below the hierarchy's top, without the leading slash

  [[nodiscard]] bool unified() const { return controllers.empty(); }
  [[nodiscard]] bool has(std::string_view controller) const {
    return std::ranges::count(base::split(controllers, ','), controller) > 0;
  }
};

std::vector<Membership> memberships(const fs::path& own) {
  std::vector<Membership> all;
  std::ifstream lines(own);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string path = line.substr(second + 1);
    path.erase(0, std::min(path.find_first_not_of('/'), path.size()));
    all.push_back({line.substr(first + 1, second - first - 1), std::move(path)});
  }
  return all;
}

// Calls visit(folder, unified) for the group that limits `controller` and for every group above it. Of version 1 the
// hierarchy is mounted under its controllers as the kernel lists them, in either order, or by a link under each alone.
template <class Visit>
void for_each_group(const fs::path& own, const fs::path& root, std::string_view controller, const Visit& visit) {
  for (const Membership& membership : memberships(own)) {
    if (!membership.unified() && !membership.has(controller)) continue;
    std::vector<fs::path> tops{root};
    if (!membership.unified()) {
      tops = {root / controller, root / membership.controllers};
      if (membership.controllers == "cpuacct,cpu") tops.push_back(root / "cpu,cpuacct");
      if (membership.controllers == "cpu,cpuacct") tops.push_back(root / "cpuacct,cpu");
    }
    for (const fs::path& top : tops)
      for (fs::path group = membership.path;; group = group.parent_path()) {
        visit(top / group, membership.unified());
        if (group.empty()) break;  // in a container its own files stand at the top
      }
  }
}
}  // namespace

double group_cores(const fs::path& own, const fs::path& root) {
  double least = std::numeric_limits<double>::infinity();
  for_each_group(own, root, "cpu", [&](const fs::path& group, bool unified) {
    std::ifstream quota(group / (unified ? "cpu.max" : "cpu.cfs_quota_us"));
    std::ifstream length(group / "cpu.cfs_period_us");
    double used = 0, period = 0;
    if (quota >> used && (unified ? quota : length) >> period && used > 0 && period > 0)
      least = std::min(least, used / period);
  });
  return least;
}

std::int64_t group_memory(const fs::path& own, const fs::path& root) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for_each_group(own, root, "memory", [&](const fs::path& group, bool unified) {
    std::ifstream limit(group / (unified ? "memory.max" : "memory.limit_in_bytes"));
    std::int64_t bytes = 0;
    if (limit >> bytes && bytes > 0) least = std::min(least, bytes);  // "max" is no number, and no limit
  });
  return least;
}
}  // namespace sparsecast::base
