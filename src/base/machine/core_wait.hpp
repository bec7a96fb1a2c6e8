#pragma once
// How long this process's threads wait for a core that something else has: what runs beside makes every measured time
// longer, and a calibration of all cores by as much as it likes.

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace sparsecast::base {
/// Thread safety: none; threads that start or end meanwhile are counted as far as they were seen.
class CoreWait {
 public:
  /// Begins to count. `tasks`: a folder per thread with the kernel's file schedstat (time on a core and time in the
  /// queue for one, in ns).
  explicit CoreWait(std::filesystem::path tasks = "/proc/self/task");

  /// Of the time since then in which its threads wanted to run, the share in which they waited: 0 on a quiet machine,
  /// a half where each thread shares its core with another program. Nothing where the kernel does not tell, or before
  /// they wanted to for `least_s` of its time.
  [[nodiscard]] std::optional<double> share(double least_s = 0.1) const;

 private:
  struct Spent {
    double ran_ns = 0, waited_ns = 0;
  };
  [[nodiscard]] std::map<std::string, Spent> spent() const;

  std::filesystem::path tasks_;
  std::map<std::string, Spent> begun_;  // by thread
};
}  // namespace sparsecast::base
