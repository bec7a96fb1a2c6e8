#pragma once
// Memory that the system gives out without asking its host for it. What a hypervisor takes to find memory that the
// machine has not used for some seconds is, on some, twenty times what the machine's own system takes to hand it out,
// and is paid by whoever happens to come first. So memory is touched before a conversion is timed, unless the program
// itself has given back as much a moment ago: touching it again took two fifths of a quick calibration.

#include <cstddef>

namespace sparsecast::calibration {
/// Not thread-safe.
class MemoryAtHand {
 public:
  /// So many bytes are about to be touched for the first time. Touches as many before and gives them back, unless they
  /// are at hand. Returns how many it touched, 0 or `bytes`. `now_s`: base::now_s().
  std::size_t want(std::size_t bytes, double now_s) noexcept;

  /// What was wanted since the last call is with the system again, or will be before more is wanted.
  void give_back(double now_s) noexcept;

 private:
  std::size_t wanted_ = 0;  // and not given back yet
  std::size_t bytes_ = 0;   // at hand
  double since_s_ = 0;      // when they were given back
};
}  // namespace sparsecast::calibration
