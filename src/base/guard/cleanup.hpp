#pragma once
// What must not stay behind when the program is ended in the middle of work: half-written files and temporary folders.
// Those who make one say so for as long as it is theirs. Thread safety: safe from several threads at once.

#include <sys/types.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::base {
/// A path that is removed, with what is below it, where the program is ended while this lives (cleanup.hpp). In
/// the course of things its owner removes it.
class Leftover {
 public:
  Leftover() = default;
  ~Leftover() { forget(); }
  Leftover& operator=(Leftover&&) = delete;  // nor copied
  void watch(const std::filesystem::path& path);
  void forget() noexcept;

 private:
  std::filesystem::path path_;
};

/// Removes them all. For the end of the program alone: their owners are not told.
void remove_leftovers() noexcept;

/// Sixteen hexadecimal digits that nobody can guess, for the name of a file among others'.
[[nodiscard]] std::string unguessable_name();

// The processes that a process has started, and those that they started: a launcher's ranks have groups of their own,
// so that ending the launcher's group does not end them.

struct Descendant {
  pid_t id = 0;
  unsigned long long started = 0;  ///< ticks since the machine's start: tells it from a later process of that number
};

/// Those below a process, without itself, from what /proc tells now.
[[nodiscard]] std::vector<Descendant> descendants_of(pid_t process);

/// Those whose environment began with the variable NAME=VALUE: what a child started keeps it, also where it left its
/// group and session and its parent has ended.
[[nodiscard]] std::vector<Descendant> processes_with(std::string_view variable);

/// Makes those of them end that still run.
void kill_all(const std::vector<Descendant>& processes) noexcept;

// Ctrl-C, SIGTERM and a closed terminal end the program within a second, whatever it does. The signal asks the work to
// stop (interrupt.hpp); most of it does, in its own order. A thread watches: where the program still runs 0.6 s later,
// or is asked a second time, it ends all processes below this one, removes what must not stay behind (cleanup.hpp) and
// ends the program.

/// For the program alone, once, before it starts threads: a library leaves signals to its user. `farewell` is called
/// on the watching thread before it ends the program with `exit_status`; it must not wait for another thread.
void watch_stop_signals(int exit_status, void (*farewell)());

/// Which programs this process starts, and how.
struct ProgramRules {
  bool forbidden = false;  ///< none, whatever it is asked to do (--no-run)
  bool confined = false;   ///< those that tell their folders (ChildJob) in a sandbox
};
/// In addition to those that hold already, on this thread, as long as it lives; parallel_for hands them on.
class ProgramScope {
 public:
  explicit ProgramScope(ProgramRules more) noexcept;
  ~ProgramScope();
  ProgramScope& operator=(ProgramScope&&) = delete;  // nor copied

 private:
  ProgramRules before_;
};
[[nodiscard]] ProgramRules program_rules() noexcept;
/// Error usage that names the program where they are forbidden.
void require_programs_allowed(std::string_view program);
}  // namespace sparsecast::base
