#pragma once
// A program's outermost regions as they run under Octave, nothing of it translated and nothing counted by us: their
// time, and what the processor's cache counters say of them where it has any. Octave computes as the program is
// written, with every intermediate result in memory; what a compiled program needs is the forecast.

#include <sys/types.h>
#include <array>
#include <optional>
#include <sparsecast/profile.hpp>
#include <string>

#include "traffic/run/traffic.hpp"

namespace sparsecast::memory_traffic {
// Cache counters of the processor, read for another process of ours (perf_event_open). Virtual machines and containers
// seldom have them: then the reason is told, and nothing is guessed.

/// What is counted, in lines of the cache: loads that miss the first level, that ask the last level, that miss it.
enum class CounterEvent { first_level_misses, last_level_loads, last_level_misses };
inline constexpr std::size_t counter_events = 3;

class HardwareCounters {
 public:
  /// Counters of a process and of the children that it starts from now on, standing at zero.
  explicit HardwareCounters(pid_t process);
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  /// Why there are none; empty where at least one event is counted.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// Counts so far, scaled up where the kernel shared the counters out in time; nullopt for an event that the processor
  /// does not count.
  [[nodiscard]] std::optional<double> read(CounterEvent event) const;

 private:
  std::array<int, counter_events> descriptors_{-1, -1, -1};
  std::string reason_;
};

struct MeasuredRun {
  std::optional<double> seconds;  ///< of all regions together; nothing where none can be timed
  /// Lines of loads that missed the first level, asked the last and missed it.
  std::optional<double> first_level_misses, last_level_loads, last_level_misses;
  std::string counters;  ///< what was counted, or why nothing was
};

/// The program's text with calls of SLMclock where its outermost regions begin and end; empty where none stands on
/// lines of its own.
std::string text_with_clocks(const SourceText& source);

/// Runs the program once more. Error as of run_program().
MeasuredRun measure_program(const std::filesystem::path& file, const RunOptions& options);

/// Puts what was measured beside the forecast; lines are those of the machine's first cache.
void add_measured(ProgramLevels& whole, const Profile& machine, const MeasuredRun& measured);
}  // namespace sparsecast::memory_traffic
