#pragma once
// The processor's cache counters, read for another process of ours (perf_event_open). Virtual machines and containers
// seldom have them: then the reason is told, and nothing is guessed.

#include <sys/types.h>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace sparsecast::memory_traffic {
/// What is counted, in lines of the cache: loads that miss the first level, that ask the last level, that miss it.
enum class CounterEvent { first_level_misses, last_level_loads, last_level_misses };
inline constexpr std::size_t counter_events = 3;

class HardwareCounters {
 public:
  /// Counters of a process and of the children that it starts from now on, standing at zero.
  explicit HardwareCounters(pid_t process);
  ~HardwareCounters();
  HardwareCounters& operator=(HardwareCounters&&) = delete;  // nor copied

  /// Why there are none; empty where at least one event is counted.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// Counts so far, scaled up where the kernel shared the counters out in time; nullopt for an event that the processor
  /// does not count.
  [[nodiscard]] std::optional<double> read(CounterEvent event) const;

 private:
  std::array<int, counter_events> descriptors_{-1, -1, -1};
  std::string reason_;
};
}  // namespace sparsecast::memory_traffic
