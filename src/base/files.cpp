#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/interrupt.hpp"
#include "base/text.hpp"

namespace sparsecast::base {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int value() const { return value_; }

 private:
  int value_;
};

/// Whether there is something to read, or the end. A pipe's writer may take its time, but not beyond Ctrl-C.
void wait_for_bytes(int descriptor) {
  constexpr int pause_ms = 100;
  pollfd ready{descriptor, POLLIN, 0};
  do throw_if_interrupted();
  while (::poll(&ready, 1, pause_ms) == 0);
}

template <class Bytes>
Bytes read_all(const std::filesystem::path& file, const FileToRead& about) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(about.code, fmt::format("cannot read the {}: {}", about.what, reason), {file.string()}, about.remedy);
  };
  // Without O_NONBLOCK a named pipe that nobody writes to would hang the open itself.
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat status {};
  if (opened.value() < 0 || ::fstat(opened.value(), &status) != 0) refuse(error_text(errno));
  if (S_ISDIR(status.st_mode))
    throw Error(about.code, fmt::format("is a folder, no {}", about.what), {file.string()}, "name a file");
  // One byte more than is expected tells that the end was reached. The size of a pipe or of a file in /proc is 0.
  constexpr std::int64_t step = 1 << 16;
  Bytes bytes;
  for (std::int64_t filled = 0;;) {
    if (filled > about.most_bytes)
      refuse(fmt::format("it is larger than {}", format_bytes(static_cast<double>(about.most_bytes))));
    if (filled == static_cast<std::int64_t>(bytes.size())) {
      const std::int64_t expected = std::max<std::int64_t>(status.st_size, filled + step);
      bytes.resize(static_cast<std::size_t>(std::min(expected, about.most_bytes) + 1));
    }
    if (!S_ISREG(status.st_mode)) wait_for_bytes(opened.value());
    const ssize_t got = ::read(opened.value(), bytes.data() + filled, bytes.size() - static_cast<std::size_t>(filled));
    if (got < 0 && errno != EINTR && errno != EAGAIN) refuse(error_text(errno));
    filled += std::max<ssize_t>(got, 0);
    if (got != 0) continue;
    bytes.resize(static_cast<std::size_t>(filled));
    return bytes;
  }
}

}  // namespace

std::string read_file(const std::filesystem::path& file, const FileToRead& about) {
  return read_all<std::string>(file, about);
}

std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file, const FileToRead& about) {
  return read_all<std::vector<std::uint8_t>>(file, about);
}

AtomicFile::AtomicFile(const std::filesystem::path& file, FileToWrite about)
    : about_(std::move(about)), shown_(file.string()), target_(shown_), written_(shown_) {
  static std::atomic<unsigned> counter{0};
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    throw Error(ErrorCode::failed, fmt::format("is a folder, no {}", about_.what), {shown_}, "name a file");
  beside_ = !exists || S_ISREG(status.st_mode);
  if (beside_) {
    std::error_code unknown;
    if (const auto real = std::filesystem::weakly_canonical(file, unknown); !unknown) target_ = real.string();
  }
  do {  // a name that an ended process left behind is passed over
    if (beside_) written_ = fmt::format("{}.{}.{}.partial", target_, ::getpid(), counter++);
    file_ = std::fopen(written_.c_str(), beside_ ? "wxe" : "we");
  } while (file_ == nullptr && beside_ && errno == EEXIST);
  if (file_ == nullptr) {
    beside_ = false;
    fail(error_text(errno));
  }
  if (beside_ && exists) static_cast<void>(::fchmod(::fileno(file_), status.st_mode & 07777));
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (beside_) ::unlink(written_.c_str());
}

void AtomicFile::fail(const std::string& reason) const {
  throw Error(ErrorCode::failed, fmt::format("cannot write the {}: {}", about_.what, reason), {shown_}, about_.remedy);
}

void AtomicFile::write(std::string_view bytes) {
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(error_text(errno));
}

void AtomicFile::finish() {
  std::FILE* const file = std::exchange(file_, nullptr);
  const bool flushed = std::fflush(file) == 0;
  const int number = errno;
  if (std::fclose(file) != 0 || !flushed) fail(error_text(flushed ? errno : number));
  if (!beside_) return;
  if (::rename(written_.c_str(), target_.c_str()) != 0) fail(error_text(errno));
  beside_ = false;
}

void write_file_atomically(const std::filesystem::path& file, std::string_view bytes, const FileToWrite& about) {
  AtomicFile out(file, about);
  out.write(bytes);
  out.finish();
}

}  // namespace sparsecast::base
