#pragma once
// calibrate: a device measured once, for all later forecasts.

#include <sparsecast/answers/request.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// What calibrate() measures, and for how long.
struct CalibrateRequest {
  std::string device = "host";     ///< device to calibrate: host, opencl:N or cuda:N
  bool quick = false;              ///< calibrate roughly, within a minute
  bool fresh = false;              ///< discard earlier measurements of that device first
  bool only_instructions = false;  ///< CUDA devices: measure only instructions and memory, for forecasts of GPU code
  bool papers = false;  ///< the designed grids of the papers whole and nothing else: for the models guo and wang
  double minutes = 0;   ///< start no new matrix after N minutes for each number of threads; 0: no limit
  std::vector<MatrixInput> matrices = {};  ///< measured as well, those least like what was measured first
  Precision precision = Precision::double_;
  int threads = 0;  ///< host threads; 0: all cores, then one, then the powers of two between
  Listener listener = {};
};

/// What was measured, over all numbers of threads.
struct Calibration {
  std::string device = {};                   ///< the one that was measured
  Precision precision = Precision::double_;  ///< precision of the products
  bool quick = false;                        ///< true: a quick calibration
  int measured = 0;                          ///< number of records measured in this run
  int present = 0;                           ///< number of records that existed before
  int micro_benchmarks = 0;  ///< number of micro-benchmarks of instructions and memory measured in this run
  int matrices = 0;          ///< number of the user's own matrices measured in this run
};

/// Measures what the store does not have yet. Every record is kept as soon as it is taken: after a stop or a
/// crash it resumes where it was. Error unavailable where the device is not here, usage for another name, interrupted.
/// Thread safety: safe from several threads at once, which disturb each other's times.
[[nodiscard]] Calibration calibrate(const CalibrateRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
