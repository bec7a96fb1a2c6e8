#pragma once
// doctor: what is installed, what is calibrated and how stale, how noisy this machine is now, and what to do next.

#include <optional>
#include <sparsecast/answers/predict.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

struct CalibratedDevice {
  std::string name = {}, taken = {};
  double days = 0;
  std::int64_t matrices = 0, records = 0;
  std::vector<std::string> changes = {};
};
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

struct Diagnosis {
  std::string version = {}, compiler = {}, home = {};
  std::vector<std::string> parts = {}, left_out = {}, devices = {}, missing = {};
  std::vector<CalibratedDevice> calibrated = {};
  std::int64_t remembered = 0, damaged_rows = 0;
  int cores = 1;
  std::string fewer_cores = {};
  double load = 0, spread = 0;
  std::optional<DriftAnswer> drift = {};
  bool ready = false;
  std::string next = {}, why = {};
};
template <>
struct Fields<Diagnosis> {
  static constexpr std::string_view about = "sparsecast doctor --json: what a report of a bug begins with";
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
      field<&Diagnosis::ready>("forecasts of this host rest on a calibration of it as it is"),
      field<&Diagnosis::next>("the command to run next"), field<&Diagnosis::why>("what that is good for"));
};

struct DoctorRequest {
  int threads = 0;
  Listener listener = {};
};
template <>
struct Fields<DoctorRequest> {
  static constexpr std::string_view about = "How this installation and this machine are.";
  static constexpr auto table = std::tuple(field<&DoctorRequest::threads>("of the host; 0: all", at_least(0)));
};
/// Takes about two seconds, in which products are timed. Error failed where the store cannot be opened.
/// Thread safety: safe from several threads at once, which disturb each other's times.
[[nodiscard]] Diagnosis doctor(const DoctorRequest& request = {});

}  // namespace sparsecast
#pragma GCC visibility pop
