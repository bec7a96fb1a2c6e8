#pragma once
// What no forecast may leave: nothing moves its bytes faster than the fastest benchmark matrix did, by more than a
// quarter, and nothing takes longer for its bytes and misses than the slowest did. Terms that the calibration could not
// identify may say anything of a matrix far from all of its own; these two hold there as well.

#include <sparsecast/profile.hpp>

#include "forecast/learned/kernel_observations.hpp"

namespace sparsecast::forecast {
class Roof {
 public:
  /// From one kernel's records; `fastest_rate` in bytes/s over all of them.
  Roof(const Profile& profile, int threads, const Observations& seen, double fastest_rate);
  /// As another profile's records told them.
  Roof(const Profile& profile, int threads, double fastest_rate, double slowest);

  /// The time of the slowest record over what its bytes take at the bandwidth of their size; 0: not known.
  [[nodiscard]] double slowest() const { return slowest_; }
  [[nodiscard]] double fastest_rate() const { return fastest_rate_; }

  /// Seconds; 0 where there are no records to tell.
  [[nodiscard]] double least(const formats::Workload& workload) const;
  /// Seconds; infinite where no record is large enough to tell.
  [[nodiscard]] double most(const formats::Workload& workload) const;

 private:
  [[nodiscard]] double streamed(const formats::Workload& workload) const;

  Curve bandwidth_;      // bytes/s over footprint; empty where the profile has none
  double fastest_rate_;  // bytes/s
  double slowest_ = 0;   // times streamed(); 0: unknown
};
}  // namespace sparsecast::forecast
