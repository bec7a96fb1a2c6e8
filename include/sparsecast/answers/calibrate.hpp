#pragma once
// calibrate: a device measured once, for all later forecasts.

#include <sparsecast/answers/request.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// What calibrate() measures, and for how long.
struct CalibrateRequest {
  std::string device = "host";     ///< "host", "opencl:N" or "cuda:N"
  bool quick = false;              ///< a first look within a minute
  bool fresh = false;              ///< forget first what was measured on that device before
  bool only_instructions = false;  ///< CUDA devices: instructions and memory alone, for forecasts of GPU code
  bool papers = false;  ///< the designed grids of the papers whole and nothing else: for the models guo and wang
  double minutes = 0;   ///< begin no new matrix after so many minutes per number of threads; 0: no limit
  std::vector<MatrixInput> matrices = {};  ///< measured as well, those least like what was measured first
  Precision precision = Precision::double_;
  int threads = 0;  ///< of the host; 0: all cores, then one, then the powers of two between
  Listener listener = {};
};

/// What was measured, over all numbers of threads.
struct Calibration {
  std::string device = {};                   ///< the one that was measured
  Precision precision = Precision::double_;  ///< of the products
  bool quick = false;                        ///< a first look only
  int measured = 0;                          ///< records taken now
  int present = 0;                           ///< records that were there already
  int micro_benchmarks = 0;                  ///< of instructions and memory, taken now
  int matrices = 0;                          ///< of the user's own, measured now
};

/// Measures what the store does not have yet. Every record is kept as soon as it is taken: what a stop or a crash ends
/// resumes there. Error unavailable where the device is not here, usage for another name, interrupted.
/// Thread safety: safe from several threads at once, which disturb each other's times.
[[nodiscard]] Calibration calibrate(const CalibrateRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
