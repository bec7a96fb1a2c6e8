#pragma once
// Repeated rounds over matrices. What runs beside on a shared machine stays for seconds, longer than a series of
// blocks; so the host times every matrix in two rounds some minutes apart, and again where both were disturbed. Of each
// kernel the less noisy time is kept. A device has its chip for itself: one round.

#include <optional>
#include <sparsecast/profile.hpp>

#include "calibration/timing.hpp"

namespace sparsecast::calibration {
/// What is kept of one matrix: per kernel the less noisy time of all rounds so far.
class KeptTimes {
 public:
  /// Whether that time is kept: the first of its kernel, or less noisy than the one so far.
  bool offer(const std::string& kernel, const Timing& timing);
  /// The time of that kernel so far; nullptr for none.
  [[nodiscard]] const Timing* find(const std::string& kernel) const;
  [[nodiscard]] std::span<const Timing> timings() const { return timings_; }
  /// Of each time after a kernel's first, by how much (of the logarithm) it differed from the one kept so far.
  [[nodiscard]] std::span<const double> repeats() const { return repeats_; }

 private:
  std::vector<std::string> kernels_;
  std::vector<Timing> timings_;  // of kernels_, in their order
  std::vector<double> repeats_;
};

/// How many rounds there are: those that every matrix takes, and those that only disturbed ones take beyond.
struct Rounds {
  int every = 1, most = 1;
  /// `quick`: a first look, which takes one round everywhere.
  [[nodiscard]] static Rounds on(const DeviceProperties& properties, bool quick = false);
  /// Whether a matrix is measured in that round, counted from 0. Settled is one whose times are undisturbed
  /// (timing.hpp) beside the usual fork-join latency and spread.
  [[nodiscard]] bool takes(int round, const KeptTimes& kept, double usual_fork_join_s, double usual_spread = 0) const;
};

/// The spread that half of the matrices repeat within, each by the median of its kernels; 0 where nothing tells.
[[nodiscard]] double usual_spread(std::span<const KeptTimes> kept);

/// What starting the threads took as a rule, over all that was kept; 0 where nothing tells.
[[nodiscard]] double usual_fork_join(std::span<const KeptTimes> kept);

/// How far (of the logarithm) three quarters of a machine's repeats, minutes apart, stay within; 0 where nothing tells.
/// As a curve of the profile, for a number of threads.
[[nodiscard]] double repeat_error(std::span<const KeptTimes> kept);
[[nodiscard]] Curve repeat_curve(double error, int threads);
[[nodiscard]] double repeat_error(const Profile& profile, int threads);

/// Of the time that the threads of a calibration wanted to run, the share in which they waited for cores that something
/// else had (base/machine/core_wait.hpp). As a curve of the profile, for a number of threads; 0 where nothing tells.
[[nodiscard]] Curve wait_curve(double share, int threads);
[[nodiscard]] double wait_share(const Profile& profile, int threads);
/// Whether it is so much that the records are not of this machine alone, and are worth to be taken again.
[[nodiscard]] bool taken_beside_others(const Profile& profile, int threads);

/// Of a profile's records, as usual_fork_join() of what was kept, and of the core's speed: the median of a number over
/// those records of so many threads (and of that precision, where one is named) that tell it, which is where it is
/// above 0; 0 where none does.
[[nodiscard]] double usual_of_records(std::span<const Record> records, double Record::*number, int threads,
                                      std::optional<Precision> precision = {});
}  // namespace sparsecast::calibration
