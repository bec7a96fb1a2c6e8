#pragma once
// Rank 0's side of the job folder (launch/job.hpp lists its files). Every write goes to a file beside and is renamed,
// so that the command never sees half a document.

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace sparsecast::cluster {
class JobFolder {
 public:
  JobFolder(std::filesystem::path folder, int rank) : folder_(std::move(folder)), rank_(rank) {}
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  /// The text of a file; Error bad_input where it cannot be read.
  [[nodiscard]] std::string read(const std::string& name) const;
  void write(const std::string& name, std::string_view text) const;
  /// Tells the watchdog, at most twice a second and on rank 0 only, that work goes on.
  void alive();

 private:
  std::filesystem::path folder_;
  int rank_;
  double last_ = 0;
};
}  // namespace sparsecast::cluster
