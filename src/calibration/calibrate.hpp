#pragma once
// Phase one: measures a device on its benchmark matrices and curves and keeps every record at once, so that a killed
// calibration resumes where it was.

#include <map>
#include <memory>
#include <sparsecast/structure.hpp>
#include <string>

#include "base/progress.hpp"
#include "calibration/store.hpp"
#include "calibration/timing.hpp"

namespace sparsecast::calibration {
struct CalibrateOptions {
  bool quick = false;              ///< a first look within a minute
  bool few = false;                ///< the matrices of a quick calibration, with the care of a full one
  bool only_instructions = false;  ///< nothing but the micro-benchmarks of instructions and memory
  bool papers = false;             ///< nothing but the papers' grids, whole
  Precision precision = Precision::double_;
  double max_s = 0;                 ///< stop starting new matrices after so many seconds; 0: no bound
  base::ProgressFunction progress;  ///< told before every matrix
  /// Structures of benchmark matrices that were analyzed before, by spec: numbers of threads share them.
  std::shared_ptr<std::map<std::string, Structure>> structures = {};
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
}  // namespace sparsecast::calibration
