#pragma once
// Runs the sparsecast command (or any other) as a user would and catches what it says.

#include <filesystem>
#include <string>
#include <vector>

namespace sparsecast::test {

struct CommandResult {
  int exit_code = -1;  ///< 128 + signal where a signal ended it
  std::string out, err;
};

/// Runs `program` with `arguments` and no standard input. `environment` holds NAME=VALUE additions.
CommandResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment = {});
/// Runs the sparsecast command that was just built.
CommandResult sparsecast(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});

/// A folder that is removed with its contents at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes a file there and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& file);

}  // namespace sparsecast::test
