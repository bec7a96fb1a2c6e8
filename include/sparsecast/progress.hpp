#pragma once
// How the silent library tells of long work, and how its caller stops it: functions and a token that the caller hands
// over with a request (nothing is said where they are empty).

#include <functional>
#include <sparsecast/wording.hpp>
#include <stop_token>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace sparsecast {

struct ProgressStep {
  double done = 0;          ///< share of the work, 0 … 1
  double seconds_left = 0;  ///< estimate of the remaining time; negative: not known
  std::string what;         ///< current step, in a few words
};
using ProgressFunction = std::function<void(const ProgressStep&)>;

/// The caller's functions for the duration of a request. They are called on the thread that made the request or on one
/// of its helpers. An exception that a function throws ends the work. Thread safety: give each request its own
/// listener.
struct Listener {
  std::function<void(std::string_view line)> remark =
      {};  ///< something to know: a stale profile, a fit that takes seconds
  std::function<void(std::string_view line)> warning = {};  ///< something is wrong: damaged rows of the store
  ProgressFunction progress = {};
  std::stop_token stop = {};     ///< a stop that is requested ends the work between two steps: Error interrupted
  Voice voice = Voice::library;  ///< whose names for options appear in remarks, warnings and the answer's sentences
};

}  // namespace sparsecast
#pragma GCC visibility pop
