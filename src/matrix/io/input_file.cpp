#include "matrix/io/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <sparsecast/error.hpp>
#include <system_error>

#include "base/interrupt.hpp"
#include "base/text.hpp"

namespace sparsecast::matrix {
namespace {

struct Descriptor {
  int value;
  ~Descriptor() { ::close(value); }
};

[[noreturn]] void refuse(const std::string& file, const std::string& reason, const std::string& remedy) {
  throw Error(ErrorCode::bad_input, reason, {file}, remedy);
}


}  // namespace

InputFile::InputFile(const std::filesystem::path& path, std::int64_t limit_bytes) : name_(path.string()) {
  // Without O_NONBLOCK a named pipe that nobody writes to would hang the open itself.
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) refuse(name_, "cannot be read: " + base::error_text(errno), "check the path and its permissions");
  const Descriptor descriptor{opened};
  struct stat status {};
  if (::fstat(opened, &status) != 0) refuse(name_, "cannot be read: " + base::error_text(errno), "check the path");
  if (S_ISDIR(status.st_mode)) refuse(name_, "is a folder, not a matrix file", "name a file in it");
  if (S_ISFIFO(status.st_mode)) {
    read_pipe(opened, limit_bytes);
    return;
  }
  if (!S_ISREG(status.st_mode)) refuse(name_, "is a device or socket, not a matrix file", "name a file or a pipe");
  if (status.st_size == 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  mapping_ = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, opened, 0);
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
    base::throw_if_interrupted();
    pollfd ready{descriptor, POLLIN, 0};
    if (::poll(&ready, 1, 100) == 0) continue;
    piped_.resize(filled + step);
    const ssize_t got = ::read(descriptor, piped_.data() + filled, step);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got < 0) refuse(name_, "cannot be read: " + base::error_text(errno), "check what writes to the pipe");
    filled += static_cast<std::size_t>(got);
    if (got == 0) {
      piped_.resize(filled);
      bytes_ = piped_;
      return;
    }
    if (static_cast<std::int64_t>(filled) > limit_bytes) {
      throw Error(ErrorCode::too_large,
                  fmt::format("the pipe brought more than {}", base::format_bytes(static_cast<double>(limit_bytes))),
                  {name_}, "write it to a file first: files are mapped, not copied");
    }
  }
}

}  // namespace sparsecast::matrix
