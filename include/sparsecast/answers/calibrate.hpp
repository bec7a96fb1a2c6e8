#pragma once
// calibrate: a device measured once, for all later forecasts.

#include <sparsecast/answers/request.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

struct CalibrateRequest {
  std::string device = "host";
  bool quick = false;
  bool fresh = false;
  bool only_instructions = false;
  bool papers = false;
  double minutes = 0;
  std::vector<MatrixInput> matrices = {};
  Precision precision = Precision::double_;
  int threads = 0;
  Listener listener = {};
};
template <>
struct Fields<CalibrateRequest> {
  static constexpr std::string_view about = "What is measured.";
  static constexpr auto table = std::tuple(
      field<&CalibrateRequest::device>("or opencl:N, cuda:N"),
      field<&CalibrateRequest::quick>("a first look within a minute"),
      field<&CalibrateRequest::fresh>("forget what was measured on that device before"),
      field<&CalibrateRequest::only_instructions>(
          "CUDA devices: nothing but instructions and memory, for forecasts of GPU code"),
      field<&CalibrateRequest::papers>(
          "the designed grids of the papers whole, and nothing else: for the models guo and wang"),
      field<&CalibrateRequest::minutes>(
          "begin no new matrix after so many minutes per number of threads; 0: all of them"),
      field<&CalibrateRequest::matrices>("matrix files or folders of them, to be measured as well: those least "
                                         "like what was measured come first"),
      field<&CalibrateRequest::precision>(""),
      field<&CalibrateRequest::threads>("of the host; 0: all cores, then one, then the powers of two between",
                                        at_least(0)));
};

/// What was measured, over all numbers of threads.
struct Calibration {
  std::string device = {};
  Precision precision = Precision::double_;
  bool quick = false;
  int measured = 0, present = 0, micro_benchmarks = 0, matrices = 0;
};
template <>
struct Fields<Calibration> {
  static constexpr std::string_view about = "sparsecast calibrate --json";
  static constexpr auto table = std::tuple(
      field<&Calibration::device>("that was measured"), field<&Calibration::precision>("of the products"),
      field<&Calibration::quick>("a first look only"), field<&Calibration::measured>("records taken now", at_least(0)),
      field<&Calibration::present>("records that were there already", at_least(0)),
      field<&Calibration::micro_benchmarks>("of instructions and memory, taken now", at_least(0)),
      field<&Calibration::matrices>("of the user's own, measured now", at_least(0)));
};

/// Measures what the store does not have yet. Every record is kept as soon as it is taken: what a stop or a crash ends
/// resumes there. Error unavailable where the device is not here, usage for another name, interrupted.
/// Thread safety: safe from several threads at once, which disturb each other's times.
[[nodiscard]] Calibration calibrate(const CalibrateRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
