#pragma once
// What a fuzz target has to say: how its parser is called. The parser may return or throw sparsecast::Error; anything
// else (another exception, a crash, a sanitizer's report, a hang) is a finding.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <sparsecast/error.hpp>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sparsecast::fuzz {

/// Calls parse(text); an Error must say what is wrong.
template <class Parse>
int parse_only(const std::uint8_t* data, std::size_t size, Parse&& parse) {
  try {
    parse(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error& error) {
    if (error.reason().empty()) __builtin_trap();
  }
  return 0;
}

/// A file that lies in memory, for readers that ask for one.
class FileInMemory {
 public:
  explicit FileInMemory(std::string_view text) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    if (descriptor_ < 0 || ::write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      __builtin_trap();
  }
  ~FileInMemory() { ::close(descriptor_); }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace sparsecast::fuzz
