#pragma once
// The processes that a process has started, and those that they started: a launcher's ranks have groups of their own,
// so that ending the launcher's group does not end them.

#include <sys/types.h>
#include <string_view>
#include <vector>

namespace sparsecast::base {
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
}  // namespace sparsecast::base
