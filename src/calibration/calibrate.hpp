#pragma once
// Phase one: measures a device on its benchmark matrices and curves and keeps every record at once, so that a killed
// calibration resumes where it was.

#include "calibration/store.hpp"

namespace sparsecast::calibration {
struct CalibrateOptions {
  bool quick = false;              ///< a first look within a minute
  bool few = false;                ///< the matrices of a quick calibration, with the care of a full one
  bool only_instructions = false;  ///< nothing but the micro-benchmarks of instructions and memory
  Precision precision = Precision::double_;
  double max_s = 0;                 ///< stop starting new matrices after so many seconds; 0: no bound
  base::ProgressFunction progress;  ///< told before every matrix
};

struct CalibrationResult {
  int measured = 0;          ///< records taken now
  int present = 0;           ///< records that were there already
  int micro_benchmarks = 0;  ///< taken now
  int damaged = 0;           ///< that were in the store with a checksum that does not hold, removed and taken anew
};

/// Measures what the store does not have yet. Error interrupted after Ctrl-C, with everything so far in the store.
CalibrationResult calibrate(hardware::Device& device, Store& store, const CalibrateOptions& options);

/// How long products are timed, of a calibration of some seconds or a full one.
[[nodiscard]] TimingOptions timing_options(const hardware::Device& device, bool quick);

/// "sparsecast 0.1.0, compiler 12.2.0": what a profile names as the software that took it.
std::string software_text();

// The curves of a profile: measured where they are missing, and again where they do not speak of the machine.

/// Whether a curve of so many threads tells of waiting for another program rather than of the machine: a pass takes ten
/// times as long as one thread needs for it alone and the start of the threads together.
[[nodiscard]] bool waited_for_cores(const Profile& profile, int threads);

/// Measures the curves that the stored profile lacks, and all of the device's threads where they waited for cores. What
/// was measured before Ctrl-C is in the store. Errors: interrupted, those of the device and the store.
void complete_curves(hardware::Device& device, Store& store, const CalibrateOptions& options);

/// The curves are to speak of the same state as the records: taken again where the fork-join latency was another, and
/// never coarser than they were.
void match_curves(hardware::Device& device, Store& store, const CalibrateOptions& options);
}  // namespace sparsecast::calibration
