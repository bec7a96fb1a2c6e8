#include "matrix/io/input_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>
#include <sparsecast/error.hpp>

#include "base/guard/open_input.hpp"
#include "base/text.hpp"

namespace sparsecast::matrix {
namespace {
[[noreturn]] void refuse(const std::string& file, const std::string& reason, const std::string& remedy) {
  throw Error(ErrorCode::bad_input, reason, {file}, remedy);
}
}  // namespace

InputFile::InputFile(const std::filesystem::path& path, std::int64_t limit_bytes) : name_(path.string()) {
  const base::OpenInput opened(path, {.what = "matrix file", .remedy = "check the path and its permissions"});
  if (opened.is_pipe()) {
    read_pipe(opened.descriptor(), limit_bytes);
    return;
  }
  if (opened.size() == 0) return;
  const auto size = static_cast<std::size_t>(opened.size());
  mapping_ = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, opened.descriptor(), 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    refuse(name_, "cannot be mapped into memory: " + base::error_text(errno), "copy it to a local disk");
  }
  ::madvise(mapping_, size, MADV_WILLNEED);
  bytes_ = {static_cast<const char*>(mapping_), size};
}

InputFile::~InputFile() {
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_.size());
}

void InputFile::read_pipe(int descriptor, std::int64_t limit_bytes) {
  constexpr std::size_t step = std::size_t{1} << 20;
  for (std::size_t filled = 0;;) {
    if (!base::can_read(descriptor, 1)) continue;
    piped_.resize(filled + step);
    const ssize_t got = ::read(descriptor, piped_.data() + filled, step);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got < 0)
      refuse(name_, "cannot be read: " + base::error_text(errno), "check the program that writes to the pipe");
    filled += static_cast<std::size_t>(got);
    if (got == 0) {
      piped_.resize(filled);
      bytes_ = piped_;
      return;
    }
    if (static_cast<std::int64_t>(filled) > limit_bytes) {
      throw Error(ErrorCode::too_large,
                  fmt::format("the pipe delivered more than {}", base::format_bytes(static_cast<double>(limit_bytes))),
                  {name_}, "write it to a file first: files are mapped, not copied");
    }
  }
}
}  // namespace sparsecast::matrix
