#pragma once
// What a program of others may do as our child, where Linux allows: write beneath its own folders alone (Landlock, from
// 5.13), open no socket (seccomp), signal none but its own (6.12). It reads what its user may read.

#include <filesystem>
#include <vector>

namespace sparsecast::base {
class Sandbox {
 public:
  explicit Sandbox(const std::vector<std::filesystem::path>& writes_beneath);
  ~Sandbox();
  Sandbox& operator=(Sandbox&&) = delete;  // nor copied
  /// Of the calling process, for good. Asks for no memory: for between fork and exec.
  void enter() const noexcept;
  /// Whether this kernel holds a program to its folders.
  [[nodiscard]] static bool holds_files() noexcept;

 private:
  int rules_ = -1;
};
}  // namespace sparsecast::base
