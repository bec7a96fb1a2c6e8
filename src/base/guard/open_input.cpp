#include "base/guard/open_input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <utility>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"

namespace sparsecast::base {
namespace {
const char* kind_of(mode_t mode) {
  if (S_ISSOCK(mode)) return "a socket";
  return S_ISBLK(mode) || S_ISCHR(mode) ? "a device" : "neither a file nor a pipe";
}
}  // namespace

bool can_read(int descriptor, double seconds) {
  constexpr int pause_ms = 50;
  const double until = now_s() + seconds;
  pollfd ready{descriptor, POLLIN, 0};
  do {
    throw_if_interrupted();
    if (::poll(&ready, 1, pause_ms) > 0) return true;
  } while (now_s() < until);
  return false;
}

OpenInput::OpenInput(const std::filesystem::path& file, const InputToOpen& about) {
  const std::string name = file.string();
  const auto refuse = [&](const std::string& reason) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw Error(about.code, fmt::format("cannot read the {}: {}", about.what, reason), {name}, about.remedy);
  };
  // Looked at before it is opened: opening a device may do something. Without O_NONBLOCK a pipe that nobody writes to
  // would hang the open itself.
  struct stat status {};
  if (::stat(name.c_str(), &status) != 0) refuse(error_text(errno));
  const auto readable = [&] { return S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode); };
  if (readable()) {
    descriptor_ = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) refuse(error_text(errno));
  }
  if (S_ISDIR(status.st_mode)) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw Error(about.code, fmt::format("is a folder, not a {}", about.what), {name}, "name a file");
  }
  if (!readable()) refuse(fmt::format("it is {}", kind_of(status.st_mode)));
  pipe_ = S_ISFIFO(status.st_mode);
  size_ = pipe_ ? 0 : static_cast<std::int64_t>(status.st_size);
  if (!pipe_) return;
  try {
    wait_for_writer(name, about);
  } catch (const Error&) {
    ::close(descriptor_);
    throw;
  }
}

// tee() takes nothing out of the pipe. Where nothing is in it, it says "again" while there is a writer, and "end"
// where there is none.
void OpenInput::wait_for_writer(const std::string& file, const InputToOpen& about) const {
  struct Aside {
    std::array<int, 2> ends{-1, -1};
    Aside() { static_cast<void>(!::pipe2(ends.data(), O_CLOEXEC)); }
    ~Aside() {
      for (const int end : ends)
        if (end >= 0) ::close(end);
    }
  } const aside;
  const double until = now_s() + about.wait_for_writer_s;
  for (;;) {
    throw_if_interrupted();
    // A writer that came and went without a word leaves the end behind: an empty input.
    pollfd ready{descriptor_, POLLIN, 0};
    if (::poll(&ready, 1, 0) > 0) return;
    if (const auto got = ::tee(descriptor_, aside.ends[1], 1, SPLICE_F_NONBLOCK);
        got > 0 || (got < 0 && errno == EAGAIN))
      return;
    if (now_s() > until)
      throw Error(about.code, fmt::format("cannot read the {}: no process writes to the pipe", about.what), {file},
                  "start its writer first");
    ::poll(nullptr, 0, 20);
  }
}

OpenInput::~OpenInput() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int OpenInput::take() {
  ::fcntl(descriptor_, F_SETFL, ::fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
  return std::exchange(descriptor_, -1);
}
}  // namespace sparsecast::base
