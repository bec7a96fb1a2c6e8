#pragma once
// Compilers run in a private folder of their own, with names of our own making relative to it: nvcc writes what stands
// on its command line, its working folder and its temporary files into commands for a shell.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/temporary_folder.hpp"

namespace sparsecast::gpu_code {
/// Full path of nvcc or ptxas: on PATH, then in $CUDA_HOME/bin, $CUDA_PATH/bin, /usr/local/cuda/bin; empty where it is
/// not found.
[[nodiscard]] std::filesystem::path find_cuda_tool(const std::string& name);

/// Whether a shell takes the path for nothing but one word, quoted or not.
[[nodiscard]] bool plain_path(const std::filesystem::path& path);

/// Made for one run of a tool, open to its owner alone, removed with its contents at the end.
class ToolFolder {
 public:
  /// In $TMPDIR, or where that is no plain path in /tmp. Error failed.
  ToolFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  void write(const std::string& name, std::string_view text) const;
  /// A fixed name for another folder, so that what is in it is found under a relative path.
  void link(const std::string& name, const std::filesystem::path& folder) const;

  /// Runs the tool there; returns the exit status. No argument may come from a user. Error unavailable where it does
  /// not start or its own path is not plain; interrupted.
  [[nodiscard]] int run(const std::filesystem::path& tool, const std::vector<std::string>& arguments);
  /// Output and messages of the last run.
  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  base::TemporaryFolder folder_;
  std::string log_;
};
}  // namespace sparsecast::gpu_code
