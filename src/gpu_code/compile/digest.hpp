#pragma once
// Compiled kernels by content: a source is compiled once for each set of compiler, options and macros.

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "base/files.hpp"

namespace sparsecast::gpu_code {
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

/// What is compiled is written beside and renamed: another run never sees half a file.
inline const base::FileToWrite compiled_kernel{"compiled kernel", "check whether the disk is full"};
}  // namespace sparsecast::gpu_code
