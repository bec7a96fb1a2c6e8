#pragma once
// Whole files: read with a bound, written beside their place and renamed into it, so that a reader never sees half of
// one and a full disk leaves the old one. Every failure is one Error that names the file.

#include <cstdio>
#include <sparsecast/error.hpp>
#include <vector>

#include "base/guard/cleanup.hpp"

namespace sparsecast::base {
/// What is to be read, for messages and as a bound.
struct FileToRead {
  std::string what = "file";  ///< "cannot read the …"
  wording::Text remedy = "check the path";
  std::int64_t most_bytes = std::int64_t{1} << 30;
  ErrorCode code = ErrorCode::bad_input;
};

/// The bytes of a file or a pipe. Error where it cannot be read, is neither (open_input.hpp) or longer than it may be;
/// interrupted.
[[nodiscard]] std::string read_file(const std::filesystem::path& file, const FileToRead& about = {});
[[nodiscard]] std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file, const FileToRead& about = {});

/// What is to be written, for messages.
struct FileToWrite {
  std::string what = "file";  ///< "cannot write the …"
  wording::Text remedy = "check that the folder exists and the disk is not full";
};

/// Written under a name of its own beside its place, which it takes when it is finished; without that nothing changes.
/// It has the mode of the file that it replaces, else the one that the umask gives. Where there is a symbolic link, the
/// file that it names is replaced; a device or a pipe is written to as it is. Nothing is forced to the disk: after a
/// loss of power the old file, or none, may stand there.
class AtomicFile {
 public:
  /// Error failed, as of every function here; usage for "-", which looks like the standard output.
  explicit AtomicFile(const std::filesystem::path& file, FileToWrite about = {});
  ~AtomicFile();
  AtomicFile& operator=(AtomicFile&&) = delete;  // nor copied

  void write(std::string_view bytes);
  void finish();

 private:
  [[noreturn]] void fail(const std::string& reason) const;

  FileToWrite about_;
  std::string shown_, target_, written_;
  bool beside_ = false;  ///< written_ is a file of ours that nobody has taken yet
  std::FILE* file_ = nullptr;
  Leftover leftover_;
};

/// An AtomicFile of these bytes.
void write_file_atomically(const std::filesystem::path& file, std::string_view bytes, const FileToWrite& about = {});
}  // namespace sparsecast::base
