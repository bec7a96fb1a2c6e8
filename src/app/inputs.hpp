#pragma once
// What several commands read before they start: matrices from the files and folders that a user names, the profile of
// the device that is meant.

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/forecast.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/profile.hpp>
#include <sparsecast/read.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands.hpp"
#include "matrix/collection/collection.hpp"

namespace sparsecast::app {

/// What begins the name of a matrix of the collection: "ss:HB/bcsstk01".
inline constexpr std::string_view collection_prefix = "ss:";

class ProgressBar;
/// How a command fetches: with a bar, and remarks where it has to wait. Both must outlive what is done with it.
matrix::CollectionOptions collection_options(const std::string& url, ProgressBar& bar, const Globals& globals);

/// The file that a user means: a path as it is; of ss:GROUP/NAME the one in the store, fetched where it is not there.
std::filesystem::path matrix_file(const std::string& given, const Globals& globals);

/// The matrix files meant by `paths`, in order: files and ss:GROUP/NAME as matrix_file(), of folders (recursively)
/// every file with the ending of a format that can be read, sorted by name. Error bad_input where a folder cannot be
/// read.
std::vector<std::filesystem::path> matrix_files(const std::vector<std::string>& paths, const Globals& globals);

/// A lent matrix, or reads a file with the command's threads; what its format forbids and is read all the same is a
/// remark.
Matrix read_input(const std::filesystem::path& file, const Globals& globals);

/// Several inputs of which some may be bad: the others are answered all the same.
class Failures {
 public:
  explicit Failures(std::size_t inputs) : inputs_(inputs) {}
  [[nodiscard]] bool none() const { return errors_.empty(); }
  /// Does it. An Error bad_input is told at the end where there are several inputs; of one, or of another kind, at
  /// once.
  void attempt(const std::function<void()>& work);
  /// A line on stderr for every input that was bad, and the last as the Error that ends the command.
  void finish() const;

 private:
  std::size_t inputs_;
  std::vector<Error> errors_;
};

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

/// The profile of `device` (its name), or of the file `profile_file` where that is not empty. Error failed with the
/// command to run where the device was never calibrated.
Profile load_profile(const std::string& device, const std::string& profile_file);

/// The profile of any machine that is known: as load_profile(), of a description in a file (`device` ends in .json), or
/// of one of the catalogue, of which nothing was measured. Error usage with the nearest names for another one.
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
