#include "memory_traffic/run/hardware_counters.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace sparsecast::memory_traffic {
namespace {
constexpr std::uint64_t cache_event(std::uint64_t cache, std::uint64_t result) {
  return cache | (static_cast<std::uint64_t>(PERF_COUNT_HW_CACHE_OP_READ) << 8) | (result << 16);
}

// In the order of CounterEvent.
constexpr std::array<std::uint64_t, counter_events> event_numbers{
    cache_event(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_RESULT_MISS),
    cache_event(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_RESULT_ACCESS),
    cache_event(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_RESULT_MISS)};

int open_event(std::uint64_t event, pid_t process) {
  perf_event_attr about{};
  about.size = sizeof about;
  about.type = PERF_TYPE_HW_CACHE;
  about.config = event;
  about.inherit = 1;
  about.exclude_kernel = 1;
  about.exclude_hv = 1;
  about.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  constexpr unsigned long close_on_exec = PERF_FLAG_FD_CLOEXEC;
  return static_cast<int>(syscall(SYS_perf_event_open, &about, process, -1, -1, close_on_exec));
}

std::string why(int failure) {
  switch (failure) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP: return "this machine has no cache counters (most virtual machines have none)";
    case EACCES:
    case EPERM: return "the system does not allow counters: see /proc/sys/kernel/perf_event_paranoid";
    case ENOSYS: return "this kernel has no perf_event_open";
    default: return fmt::format("perf_event_open: {}", std::strerror(failure));  // NOLINT(concurrency-mt-unsafe)
  }
}
}  // namespace

HardwareCounters::HardwareCounters(pid_t process) {
  bool any = false;
  for (std::size_t k = 0; k < counter_events; ++k) {
    descriptors_[k] = open_event(event_numbers[k], process);
    if (descriptors_[k] >= 0)
      any = true;
    else if (reason_.empty())
      reason_ = why(errno);
  }
  if (any) reason_.clear();
}

HardwareCounters::~HardwareCounters() {
  for (const int descriptor : descriptors_)
    if (descriptor >= 0) close(descriptor);
}

std::optional<double> HardwareCounters::read(CounterEvent event) const {
  const int descriptor = descriptors_[static_cast<std::size_t>(event)];
  std::array<std::uint64_t, 3> counted{};  // value, time enabled, time running
  if (descriptor < 0 || ::read(descriptor, counted.data(), sizeof counted) != sizeof counted) return std::nullopt;
  if (counted[2] == 0) return counted[1] == 0 ? std::optional<double>(0) : std::nullopt;
  return static_cast<double>(counted[0]) * static_cast<double>(counted[1]) / static_cast<double>(counted[2]);
}
}  // namespace sparsecast::memory_traffic
