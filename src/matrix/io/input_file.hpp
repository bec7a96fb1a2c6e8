#pragma once
// The bytes of a file, memory-mapped where it is a regular one, read to its end where it is a pipe
// (`info <(xz -dc a.mtx.xz)`). Anything that cannot be a matrix file is refused here: folders, devices, what is
// missing.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace sparsecast::matrix {
class InputFile {
 public:
  /// Error bad_input where it cannot be opened or mapped. A pipe longer than limit_bytes is refused.
  InputFile(const std::filesystem::path& path, std::int64_t limit_bytes);
  ~InputFile();
  InputFile& operator=(InputFile&&) = delete;  // nor copied

  /// As the user wrote it, for messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  void read_pipe(int descriptor, std::int64_t limit_bytes);

  std::string name_;
  std::string_view bytes_;
  std::string piped_;
  void* mapping_ = nullptr;
};
}  // namespace sparsecast::matrix
