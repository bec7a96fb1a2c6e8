#pragma once
// The fields of <sparsecast/answers/calibrate.hpp>.

#include <sparsecast/answers/calibrate.hpp>

#include "fields/answers/request.hpp"
#include "fields/fields.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

template <>
struct Fields<CalibrateRequest> {
  static constexpr std::string_view about = "What to calibrate.";
  static constexpr auto table = std::tuple(
      field<&CalibrateRequest::device>("device to calibrate: host, opencl:N or cuda:N"),
      field<&CalibrateRequest::quick>("calibrate roughly, within a minute"),
      field<&CalibrateRequest::fresh>("discard earlier measurements of that device first"),
      field<&CalibrateRequest::only_instructions>(
          "CUDA devices: measure only instructions and memory, for forecasts of GPU code"),
      field<&CalibrateRequest::papers>("measure only the complete grids of the papers, for the models guo and wang"),
      field<&CalibrateRequest::minutes>("start no new matrix after N minutes for each number of threads; 0: no limit",
                                        at_least(0)),
      field<&CalibrateRequest::matrices>("also measure these matrix files, or the files in these folders; those least "
                                         "like what was already measured come first"),
      field<&CalibrateRequest::precision>("precision of the values and vectors"),
      field<&CalibrateRequest::threads>("host threads; 0: all cores, then one, then the powers of two between",
                                        host_threads));
};

template <>
struct Fields<Calibration> {
  static constexpr std::string_view about = "Result of calibrate(): what was measured";
  static constexpr auto table =
      std::tuple(field<&Calibration::device>("device that was calibrated"),
                 field<&Calibration::precision>("precision of the products"),
                 field<&Calibration::quick>("true: a quick calibration"),
                 field<&Calibration::measured>("number of records measured in this run", at_least(0)),
                 field<&Calibration::present>("number of records that existed before", at_least(0)),
                 field<&Calibration::micro_benchmarks>(
                     "number of micro-benchmarks of instructions and memory measured in this run", at_least(0)),
                 field<&Calibration::matrices>("number of the user's own matrices measured in this run", at_least(0)));
};

}  // namespace sparsecast
