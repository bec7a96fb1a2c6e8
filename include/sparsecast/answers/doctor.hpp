#pragma once
// doctor: what is installed, what is calibrated and how stale, how noisy this machine is now, and what to do next.

#include <optional>
#include <sparsecast/answers/predict.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A profile of the store, and how stale it is.
struct CalibratedDevice {
  std::string name = {};      ///< name of the device
  std::string taken = {};     ///< date and time (UTC) of the newest record
  double days = 0;            ///< since the newest record
  std::int64_t matrices = 0;  ///< matrices that were multiplied
  std::int64_t records = 0;   ///< number of records: one kernel on one matrix each
  /// What differs from when it was taken: processor, microcode, cores, driver; empty also where it is not here.
  std::vector<std::string> changes = {};
};

/// How this installation and this machine are: what a report of a bug begins with.
struct Diagnosis {
  std::string version = {};                ///< version of the library
  std::string compiler = {};               ///< that built it
  std::string home = {};                   ///< folder that holds the measurements
  std::vector<std::string> parts = {};     ///< optional parts that are built in
  std::vector<std::string> left_out = {};  ///< optional parts that are not built in, and what is needed to build them
  std::vector<std::string> devices = {};   ///< devices that are present, as requests name them
  std::vector<std::string> missing = {};   ///< missing tools, with the command that needs each: "octave (traffic)"
  std::vector<CalibratedDevice> calibrated = {};
  std::int64_t remembered = 0;      ///< number of products that were timed on users' matrices
  std::string not_remembered = {};  ///< why such products are not remembered; empty where they are
  std::int64_t damaged_rows = 0;    ///< damaged rows in the store
  int cores = 1;
  /// Why they are fewer than the machine's: CPU set, control group, hyper-threads; empty where they are not.
  std::string fewer_cores = {};
  double load = 0;    ///< mean number of processes that ran or waited in the last minute
  double spread = 0;  ///< relative scatter of repeats of one product now
  /// Some products of the host's calibration timed again; nothing where none were.
  std::optional<DriftAnswer> drift = {};
  bool ready = false;     ///< true: forecasts of this host rest on an up-to-date calibration, or on the shipped models
  std::string next = {};  ///< the command to run next
  std::string why = {};   ///< what that command is good for
};

/// Which threads the doctor may use.
struct DoctorRequest {
  int threads = 0;  ///< host threads; 0: one per available core
  Listener listener = {};
};

/// Takes about two seconds, in which products are timed. Error failed where the store cannot be opened.
/// Thread safety: safe from several threads at once, which disturb each other's times.
[[nodiscard]] Diagnosis doctor(const DoctorRequest& request = {});

}  // namespace sparsecast
#pragma GCC visibility pop
