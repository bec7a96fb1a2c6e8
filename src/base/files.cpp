#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/guard/open_input.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"

namespace sparsecast::base {
namespace {
template <class Bytes>
Bytes read_all(const std::filesystem::path& file, const FileToRead& about) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(about.code, fmt::format("cannot read the {}: {}", about.what, reason), {file.string()}, about.remedy);
  };
  const OpenInput opened(file, {.what = about.what, .remedy = about.remedy, .code = about.code});
  // One byte more than is expected tells that the end was reached. The size of a pipe or of a file in /proc is 0.
  constexpr std::int64_t step = 1 << 16;
  Bytes bytes;
  for (std::int64_t filled = 0;;) {
    throw_if_interrupted();
    if (filled > about.most_bytes || opened.size() > about.most_bytes)
      refuse(fmt::format("it is larger than {}", format_bytes(static_cast<double>(about.most_bytes))));
    if (filled == static_cast<std::int64_t>(bytes.size())) {
      // Doubled, so that a long pipe is not copied for each of its pieces.
      const std::int64_t expected = std::max<std::int64_t>(opened.size(), 2 * filled + step);
      bytes.resize(static_cast<std::size_t>(std::min(expected, about.most_bytes) + 1));
    }
    // A pipe's writer may take its time, but not beyond Ctrl-C.
    while (opened.is_pipe() && !can_read(opened.descriptor(), 1)) {
    }
    const ssize_t got =
        ::read(opened.descriptor(), bytes.data() + filled, bytes.size() - static_cast<std::size_t>(filled));
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
  if (shown_ == "-")
    throw Error(ErrorCode::usage, fmt::format("'-' would be the name of a {}", about_.what), {},
                "name /dev/stdout for the standard output, ./- for a file of that name");
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    throw Error(ErrorCode::failed, fmt::format("is a folder, not a {}", about_.what), {shown_}, "name a file");
  beside_ = !exists || S_ISREG(status.st_mode);
  if (beside_) {
    std::error_code unknown;
    if (const auto real = std::filesystem::weakly_canonical(file, unknown); !unknown) target_ = real.string();
  }
  if (beside_) {
    written_ = fmt::format("{}.{}.partial", target_, unguessable_name());
    leftover_.watch(written_);
  }
  // What replaces a file that others may not read is nobody else's while it is written, either.
  const int descriptor = beside_
                             ? ::open(written_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? 0600 : 0666)
                             : ::open(written_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
  if (descriptor >= 0) file_ = ::fdopen(descriptor, "w");
  if (file_ == nullptr) {
    const int number = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (descriptor >= 0 && beside_) ::unlink(written_.c_str());
    fail(error_text(number));
  }
  if (!beside_) return;
  if (exists) static_cast<void>(::fchmod(descriptor, status.st_mode & 07777));
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
  leftover_.forget();
}

void write_file_atomically(const std::filesystem::path& file, std::string_view bytes, const FileToWrite& about) {
  AtomicFile out(file, about);
  out.write(bytes);
  out.finish();
}
}  // namespace sparsecast::base
