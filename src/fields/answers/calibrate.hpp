#pragma once
// The fields of <sparsecast/answers/calibrate.hpp>.

#include <sparsecast/answers/calibrate.hpp>

#include "fields/answers/request.hpp"
#include "fields/fields.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

template <>
struct Fields<CalibrateRequest> {
  static constexpr std::string_view about = "What is measured.";
  static constexpr auto table = std::tuple(
      field<&CalibrateRequest::device>("host, opencl:N or cuda:N"),
      field<&CalibrateRequest::quick>("a first look within a minute"),
      field<&CalibrateRequest::fresh>("forget what was measured on that device before"),
      field<&CalibrateRequest::only_instructions>(
          "CUDA devices: measure instructions and memory only, for forecasts of GPU code"),
      field<&CalibrateRequest::papers>("measure the papers' complete grids only, for the models guo and wang"),
      field<&CalibrateRequest::minutes>("begin no new matrix after N minutes for each number of threads; 0: no limit"),
      field<&CalibrateRequest::matrices>("matrix files or folders of them, to be measured as well: those least "
                                         "like what was measured come first"),
      field<&CalibrateRequest::precision>(""),
      field<&CalibrateRequest::threads>("of the host; 0: all cores, then one, then the powers of two between",
                                        at_least(0)));
};

template <>
struct Fields<Calibration> {
  static constexpr std::string_view about = "What calibrate() answers: what was measured";
  static constexpr auto table = std::tuple(
      field<&Calibration::device>("that was measured"), field<&Calibration::precision>("of the products"),
      field<&Calibration::quick>("a first look only"), field<&Calibration::measured>("records taken now", at_least(0)),
      field<&Calibration::present>("records that were there already", at_least(0)),
      field<&Calibration::micro_benchmarks>("of instructions and memory, taken now", at_least(0)),
      field<&Calibration::matrices>("of the user's own, measured now", at_least(0)));
};

}  // namespace sparsecast
