#pragma once
// The fields of <sparsecast/answers/doctor.hpp>.

#include <sparsecast/answers/doctor.hpp>

#include "fields/answers/predict.hpp"
#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<CalibratedDevice> {
  static constexpr std::string_view about = "A profile in the store, and how stale it is.";
  static constexpr auto table = std::tuple(
      field<&CalibratedDevice::name>("name of the device"),
      field<&CalibratedDevice::taken>("date and time (UTC) of the newest record"),
      field<&CalibratedDevice::days>("days since then", at_least(0)),
      field<&CalibratedDevice::matrices>("number of benchmark matrices that were multiplied", at_least(0)),
      field<&CalibratedDevice::records>("number of records: one kernel on one matrix each", at_least(0)),
      field<&CalibratedDevice::changes>("what differs here from when the profile was taken: processor, microcode, "
                                        "cores, driver; also empty if the device is not present"));
};

template <>
struct Fields<Diagnosis> {
  static constexpr std::string_view about = "Result of doctor(): what a bug report begins with";
  static constexpr auto table = std::tuple(
      field<&Diagnosis::version>("version of the library"), field<&Diagnosis::compiler>("compiler that built it"),
      field<&Diagnosis::home>("folder that holds the measurements"),
      field<&Diagnosis::parts>("optional parts that are built in"),
      field<&Diagnosis::left_out>("optional parts that are not built in, and what is needed to build them"),
      field<&Diagnosis::devices>("devices that are present, as requests name them"), field<&Diagnosis::calibrated>(""),
      field<&Diagnosis::remembered>("number of products that were timed on users' matrices", at_least(0)),
      field<&Diagnosis::not_remembered>("why such products are not remembered").where_known(),
      field<&Diagnosis::damaged_rows>("damaged rows in the store", at_least(0)),
      field<&Diagnosis::cores>("", at_least(1)),
      field<&Diagnosis::fewer_cores>(
          "why fewer cores can be used than the machine has: CPU set, control group, hyper-threads")
          .where_known(),
      field<&Diagnosis::load>("mean number of processes that ran or waited during the last minute", at_least(0)),
      field<&Diagnosis::spread>("relative scatter of repeats of one product now", at_least(0)),
      field<&Diagnosis::drift>("a few products of the host's calibration, timed again; null if none were timed"),
      field<&Diagnosis::missing>("missing tools, with the command that needs each: \"octave (traffic)\""),
      field<&Diagnosis::ready>(
          "true: forecasts of this host rest on an up-to-date calibration, or on the shipped models"),
      field<&Diagnosis::next>("the command to run next"), field<&Diagnosis::why>("what that command is good for"));
};

template <>
struct Fields<DoctorRequest> {
  static constexpr std::string_view about = "The state of this installation and this machine.";
  static constexpr auto table =
      std::tuple(field<&DoctorRequest::threads>("host threads; 0: one per available core", host_threads));
};

}  // namespace sparsecast
