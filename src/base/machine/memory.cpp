#include "base/machine/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>
#include <limits>

#include "base/machine/control_groups.hpp"

namespace sparsecast::base {
namespace {
std::int64_t physical_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? std::int64_t{pages} * page : std::numeric_limits<std::int64_t>::max();
}

std::int64_t process_limit(int resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(limit.rlim_cur);
}
}  // namespace

MemoryLimit memory_limit() {
  static const std::int64_t machine = physical_bytes(), groups = group_memory("/proc/self/cgroup", "/sys/fs/cgroup");
  MemoryLimit least{machine, "the machine's memory"};
  const auto limited = [&](std::int64_t bytes, std::string_view by) {
    if (bytes < least.bytes) least = {bytes, by};
  };
  limited(groups, "the control group's limit");
  limited(process_limit(RLIMIT_AS), "the limit of the address space");
  limited(process_limit(RLIMIT_DATA), "the limit of the data segment");
  return least;
}

std::int64_t memory_bytes() { return memory_limit().bytes; }
}  // namespace sparsecast::base
