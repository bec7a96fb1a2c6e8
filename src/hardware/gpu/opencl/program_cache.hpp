#pragma once
// Compiled OpenCL programs in the store, one file each, so that a kernel is compiled once per device, driver and text.

#include <filesystem>
#include <string>
#include <string_view>

namespace sparsecast::hardware {
class ProgramCache {
 public:
  /// `key` is all that the binary depends on: device, driver, options and text.
  explicit ProgramCache(std::string_view key);
  /// The stored binary; empty where there is none, or where the file is damaged or holds another key's.
  [[nodiscard]] std::string load() const;
  /// Failure is silent: a cache that cannot be written costs time and nothing else.
  void store(std::string_view binary) const;

 private:
  [[nodiscard]] std::string head(std::string_view binary) const;

  std::string key_;
  std::filesystem::path file_;
};
}  // namespace sparsecast::hardware
