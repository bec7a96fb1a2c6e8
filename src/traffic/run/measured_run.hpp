#pragma once
// A program's outermost regions as they run under Octave, nothing of it translated and nothing counted by us: their
// time, and what the processor's cache counters say of them where it has any. Octave computes as the program is
// written, with every intermediate result in memory; what a compiled program needs is the forecast.

#include <sys/types.h>

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

// Runs a program under GNU Octave, bounded in time and stopped by Ctrl-C.

struct OctaveJob {
  std::string code;                                              ///< what --eval gets
  std::filesystem::path folder;                                  ///< working folder; empty: the caller's
  std::vector<std::pair<std::string, std::string>> environment;  ///< names and values that are added
  std::vector<std::filesystem::path> writes_beneath = {};  ///< in a sandbox: ours, for what is temporary, and its own
  double time_limit_s = 600;
  ProgramOutput output = ProgramOutput::nowhere;
  std::filesystem::path messages;  ///< takes what it writes to stderr; empty: passed on, or nowhere with the output
};

struct OctaveEnd {
  int exit_code = 0;  ///< 128 + signal where a signal ended it
  bool timed_out = false;
  double seconds = 0;  ///< from start to end, Octave's own start included
};

/// Path of octave-cli or octave: $SPARSECAST_OCTAVE, else on the PATH. Error unavailable with a remedy.
std::string find_octave();
/// Error interrupted after Ctrl-C; the program has ended then.
OctaveEnd run_octave(const OctaveJob& job);

// The run-time library: MATLAB files that translated programs call. They travel inside the executable and are written
// out once, to a folder of the store named by their content, so that the installed command, the build tree and the
// portable executable all find the same one.

/// The folder, complete. Error failed where it cannot be written.
std::filesystem::path library_folder();
/// MATLAB text of templates/, as fmt::format() takes it.
std::string template_text(std::string_view name);
}  // namespace sparsecast::memory_traffic
