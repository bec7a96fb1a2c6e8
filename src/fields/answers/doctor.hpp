#pragma once
// The fields of <sparsecast/answers/doctor.hpp>.

#include <sparsecast/answers/doctor.hpp>

#include "fields/answers/predict.hpp"
#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<CalibratedDevice> {
  static constexpr std::string_view about = "A profile of the store, and how stale it is.";
  static constexpr auto table = std::tuple(
      field<&CalibratedDevice::name>("of the device"), field<&CalibratedDevice::taken>("UTC of the newest record"),
      field<&CalibratedDevice::days>("since then", at_least(0)),
      field<&CalibratedDevice::matrices>("that were multiplied", at_least(0)),
      field<&CalibratedDevice::records>("of a kernel on a matrix", at_least(0)),
      field<&CalibratedDevice::changes>("what is another here than when it was taken: processor, microcode, cores, "
                                        "driver; empty also where the device is not here"));
};

template <>
struct Fields<Diagnosis> {
  static constexpr std::string_view about = "What doctor() answers: what a report of a bug begins with";
  static constexpr auto table = std::tuple(
      field<&Diagnosis::version>("of the library"), field<&Diagnosis::compiler>("that made it"),
      field<&Diagnosis::home>("folder of what was measured"),
      field<&Diagnosis::parts>("optional ones that are built in"),
      field<&Diagnosis::left_out>("optional ones that are not, and what builds them"),
      field<&Diagnosis::devices>("that are here, as requests name them"), field<&Diagnosis::calibrated>(""),
      field<&Diagnosis::remembered>("products that were timed on users' matrices", at_least(0)),
      field<&Diagnosis::damaged_rows>("of the store", at_least(0)), field<&Diagnosis::cores>("", at_least(1)),
      field<&Diagnosis::fewer_cores>("than the machine has, and why: CPU set, control group, hyper-threads")
          .where_known(),
      field<&Diagnosis::load>("processes that ran or waited in the last minute, in the mean", at_least(0)),
      field<&Diagnosis::spread>("of one product's repeats now, relative", at_least(0)),
      field<&Diagnosis::drift>("some products of the host's calibration timed again; null where none were"),
      field<&Diagnosis::missing>("what is not here, and which command wants it: \"octave (traffic)\""),
      field<&Diagnosis::ready>("forecasts of this host rest on a calibration of it as it is, or on what ships"),
      field<&Diagnosis::next>("the command to run next"), field<&Diagnosis::why>("what that is good for"));
};

template <>
struct Fields<DoctorRequest> {
  static constexpr std::string_view about = "How this installation and this machine are.";
  static constexpr auto table = std::tuple(field<&DoctorRequest::threads>("of the host; 0: all", at_least(0)));
};

}  // namespace sparsecast
