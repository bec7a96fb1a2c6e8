#pragma once
// How the silent library tells of long work: it calls a function that the caller supplies (nothing where it is empty).

#include <functional>
#include <string>

namespace sparsecast::base {

struct ProgressStep {
  double done = 0;          ///< share of the work, 0 … 1
  double seconds_left = 0;  ///< estimate; negative where not known
  std::string what;         ///< what is being done, a few words
};
using ProgressFunction = std::function<void(const ProgressStep&)>;

}  // namespace sparsecast::base
