#pragma once
// The one way in for files that a user names: a regular file, or a pipe that somebody writes to. Devices (/dev/zero
// has no end), sockets and folders are refused, and a pipe without a writer is not waited for longer than a moment.

#include <filesystem>
#include <sparsecast/error.hpp>

namespace sparsecast::base {
/// What is to be opened, for messages.
struct InputToOpen {
  std::string what = "file";  ///< "cannot read the …"
  wording::Text remedy = "check the path";
  ErrorCode code = ErrorCode::bad_input;
  double wait_for_writer_s = 5;
};

/// An input that is open for reading; its descriptor is closed at the end unless it is taken.
class OpenInput {
 public:
  /// Error about.code where it is none that can be read; interrupted.
  OpenInput(const std::filesystem::path& file, const InputToOpen& about);
  ~OpenInput();
  OpenInput& operator=(OpenInput&&) = delete;  // nor copied

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Reads of a pipe do not block: poll it and ask for an interrupt meanwhile. One with nothing to read has a writer.
  [[nodiscard]] bool is_pipe() const { return pipe_; }
  /// Bytes of a regular file; 0 of a pipe and of files that do not tell (in /proc).
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// The descriptor, which is the caller's now; reads of it block.
  [[nodiscard]] int take();

 private:
  void wait_for_writer(const std::string& file, const InputToOpen& about) const;

  int descriptor_ = -1;
  bool pipe_ = false;
  std::int64_t size_ = 0;
};

/// Whether something can be read from a descriptor that does not block, or its end was reached, within so many seconds.
/// Error interrupted.
[[nodiscard]] bool can_read(int descriptor, double seconds);
}  // namespace sparsecast::base
