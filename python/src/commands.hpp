#pragma once
// The command within Python's process: what it prints comes back as text, what it says and its progress go to
// functions, Ctrl-C ends it.

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace sparsecast::python {

/// Runs a command line without the program's name. `remark(line)` and `progress(done, seconds_left, what)` are called
/// on this thread, or are None. What they throw, and what Ctrl-C does, ends the run at its next safe place.
[[nodiscard]] std::string run_command(std::vector<std::string> arguments, const nanobind::object& remark,
                                      const nanobind::object& progress);

}  // namespace sparsecast::python
