#pragma once
// doctor: what is installed, what is calibrated and how stale, how noisy this machine is now, and what to do next.

#include <optional>
#include <sparsecast/answers/predict.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A profile of the store, and how stale it is.
struct CalibratedDevice {
  std::string name = {};      ///< of the device
  std::string taken = {};     ///< UTC of the newest record
  double days = 0;            ///< since the newest record
  std::int64_t matrices = 0;  ///< matrices that were multiplied
  std::int64_t records = 0;   ///< times of a kernel on a matrix
  /// What differs from when it was taken: processor, microcode, cores, driver; empty also where it is not here.
  std::vector<std::string> changes = {};
};

/// How this installation and this machine are: what a report of a bug begins with.
struct Diagnosis {
  std::string version = {};                ///< of the library
  std::string compiler = {};               ///< that built it
  std::string home = {};                   ///< the folder of what was measured
  std::vector<std::string> parts = {};     ///< optional parts that are built in
  std::vector<std::string> left_out = {};  ///< optional parts that are not, and what builds them
  std::vector<std::string> devices = {};   ///< that are here, as requests name them
  std::vector<std::string> missing = {};   ///< what is not here, and which command wants it: "octave (traffic)"
  std::vector<CalibratedDevice> calibrated = {};
  std::int64_t remembered = 0;    ///< products timed on users' matrices
  std::int64_t damaged_rows = 0;  ///< of the store
  int cores = 1;
  /// Why they are fewer than the machine's: CPU set, control group, hyper-threads; empty where they are not.
  std::string fewer_cores = {};
  double load = 0;    ///< mean number of processes that ran or waited in the last minute
  double spread = 0;  ///< of one product's repeats now, relative
  /// Some products of the host's calibration timed again; nothing where none were.
  std::optional<DriftAnswer> drift = {};
  bool ready = false;     ///< forecasts of this host rest on a calibration of it as it is, or on what ships
  std::string next = {};  ///< the command to run next
  std::string why = {};   ///< what it is good for
};

/// Nothing is asked but how this machine is.
struct DoctorRequest {
  int threads = 0;  ///< of the host; 0: all
  Listener listener = {};
};

/// Takes about two seconds, in which products are timed. Error failed where the store cannot be opened.
/// Thread safety: safe from several threads at once, which disturb each other's times.
[[nodiscard]] Diagnosis doctor(const DoctorRequest& request = {});

}  // namespace sparsecast
#pragma GCC visibility pop
