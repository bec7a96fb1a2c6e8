#pragma once
// What several commands read before they start: matrices from the files and folders that a user names, the profile of
// the device that is meant.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <sparsecast/forecast.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/profile.hpp>
#include <sparsecast/read.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <vector>

#include "app/commands.hpp"

namespace sparsecast::app {

/// The matrix files meant by `paths`, in order: files as they are, of folders (recursively) every file with the ending
/// of a format that can be read, sorted by name. Error bad_input where a path does not exist.
std::vector<std::filesystem::path> matrix_files(const std::vector<std::string>& paths);

/// A matrix of the program that runs the command within itself (app/run.hpp), under a name that stands where commands
/// take a file's path. Thread safety: threads may lend at once.
class LentMatrix {
 public:
  explicit LentMatrix(Matrix matrix);
  ~LentMatrix();
  LentMatrix(const LentMatrix&) = delete;
  LentMatrix& operator=(const LentMatrix&) = delete;
  /// "memory:" and a number.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The matrix that a user named: a lent one, else that of the file.
Matrix input_matrix(const std::filesystem::path& file, const ReadOptions& options = {});

/// The profile of `device` (its name), or of the file `profile_file` where that is not empty. Error failed with the
/// command to run where the device was never calibrated.
Profile load_profile(const std::string& device, const std::string& profile_file);

/// The profile of any machine that is known: as load_profile(), of a description in a file (`device` ends in .json), or
/// of one of the catalogue, of which nothing was measured. Error unavailable with the nearest names for another one.
Profile load_machine(const std::string& device, const std::string& profile_file);

/// Threads of the host that a profile is asked for: --threads or all; 0 for other devices.
int threads_for(const Profile& profile, const Globals& globals);

/// What a model is fitted for: the command's precision and threads, with a remark before a fit that takes seconds.
FitOptions fit_options(const Profile& profile, const Globals& globals);

/// One line where forecasts rest on records of another precision than is asked for; empty where not.
std::string other_precision_text(const Profile& profile, const FitOptions& options);

/// The common head of several documents: matrix{name,rows,cols,nonzeros}.
nlohmann::ordered_json matrix_json(const Structure& structure);
nlohmann::ordered_json device_json(const DeviceProperties& properties);

}  // namespace sparsecast::app
