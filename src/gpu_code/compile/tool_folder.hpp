#pragma once
// Compilers run in a private folder of their own, with names of our own making relative to it: nvcc writes what stands
// on its command line, its working folder and its temporary files into commands for a shell.

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"

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

// Compiled kernels by content: a source is compiled once for each set of compiler, options and macros.

/// A folder of the store (base/files.hpp), made where it is missing. Error failed.
[[nodiscard]] std::filesystem::path store_folder(const std::string& name);

/// 128 bits of FNV-1a: enough to tell sources apart; nobody gains by a collision in their own cache.
class Digest {
 public:
  void add(std::string_view text);
  /// A tool's path, size and time; variables that change what it makes.
  void add_tool(const std::filesystem::path& tool);
  /// The source and, as far as they are found beside it, what it includes with quotes.
  void add_source(const std::filesystem::path& file);
  /// 32 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t a_ = 0xcbf29ce484222325u, b_ = 0x84222325cbf29ce4u;
  std::set<std::filesystem::path> seen_;
};
}  // namespace sparsecast::gpu_code
