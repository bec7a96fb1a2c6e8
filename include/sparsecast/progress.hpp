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
  double seconds_left = 0;  ///< estimate; negative where not known
  std::string what;         ///< what is being done, a few words
};
using ProgressFunction = std::function<void(const ProgressStep&)>;

/// Who asks, as long as the answer takes. Called on the thread that asked or on a helper of its; what a function throws
/// ends the work. Thread safety: requests on several threads have listeners of their own.
struct Listener {
  std::function<void(std::string_view line)> remark = {};  ///< worth knowing: a stale profile, a fit that takes seconds
  std::function<void(std::string_view line)> warning = {};  ///< something is wrong: rows of the store are damaged
  ProgressFunction progress = {};
  std::stop_token stop = {};     ///< a stop that is requested ends the work between two steps: Error interrupted
  Voice voice = Voice::library;  ///< how remarks, warnings and the sentences of the answer name what can be asked for
};

}  // namespace sparsecast
#pragma GCC visibility pop
