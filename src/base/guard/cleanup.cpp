#include "base/guard/cleanup.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <sparsecast/error.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "base/interrupt.hpp"
#include "base/wording.hpp"

namespace sparsecast::base {
namespace {
struct Leftovers {
  std::timed_mutex mutex;
  std::set<std::filesystem::path> paths;
};

// Never destroyed: another thread may still work when main() has ended.
Leftovers& leftovers() {
  static auto* const all = new Leftovers;
  return *all;
}

struct Process {
  pid_t parent = 0;
  Descendant self;
};

// Field 4 of /proc/PID/stat is the parent, field 22 the start; the name in field 2 may hold anything but ends in the
// last bracket.
bool look_up(pid_t id, Process& process) {
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "/proc/%d/stat", static_cast<int>(id));
  const int file = ::open(name.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 1024> text{};
  const ssize_t got = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  const char* const bracket = got > 0 ? std::strrchr(text.data(), ')') : nullptr;
  if (bracket == nullptr) return false;
  int parent = 0;
  unsigned long long started = 0;
  constexpr const char* fields = " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu";
  if (std::sscanf(bracket + 1, fields, &parent, &started) != 2) return false;
  process = {parent, {id, started}};
  return true;
}

std::vector<Process> all_processes() {
  std::vector<Process> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (!folder) return all;
  while (const dirent* const entry = ::readdir(folder.get())) {
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    int id = 0;
    Process process;
    if (const auto parsed = std::from_chars(entry->d_name, end, id); parsed.ec == std::errc() && parsed.ptr == end)
      if (look_up(id, process)) all.push_back(process);
  }
  return all;
}

constexpr int patience_ms = 600;
std::array<int, 2> bell{-1, -1};

extern "C" void on_stop_signal(int) {
  const int number = errno;
  request_interrupt();
  const char ring = 1;
  static_cast<void>(!::write(bell[1], &ring, 1));
  errno = number;
}

// False where the time is over.
bool heard(int most_ms) {
  pollfd ready{bell[0], POLLIN, 0};
  for (;;) {
    const int got = ::poll(&ready, 1, most_ms);
    if (got == 0) return false;
    char rung = 0;
    if (got > 0 && ::read(bell[0], &rung, 1) == 1) return true;
  }
}

void watch(int exit_status, void (*farewell)()) {
  while (!heard(-1)) {
  }
  static_cast<void>(heard(patience_ms));
  // A child may start another while it is looked for; those that are left have lost whoever waits for them.
  for (int round = 0; round < 2; ++round) kill_all(descendants_of(::getpid()));
  remove_leftovers();
  farewell();
  std::_Exit(exit_status);
}

thread_local ProgramRules rules;
}  // namespace

void Leftover::watch(const std::filesystem::path& path) {
  const std::lock_guard lock(leftovers().mutex);
  leftovers().paths.insert(path_ = path);
}

void Leftover::forget() noexcept {
  if (path_.empty()) return;
  const std::lock_guard lock(leftovers().mutex);
  leftovers().paths.erase(path_);
  path_.clear();
}

void remove_leftovers() noexcept {
  // Whoever holds the lock may be stopped for good.
  const std::unique_lock lock(leftovers().mutex, std::chrono::milliseconds(100));
  if (!lock.owns_lock()) return;
  std::error_code ignored;
  for (const std::filesystem::path& path : leftovers().paths) std::filesystem::remove_all(path, ignored);
}

std::string unguessable_name() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) != sizeof bits) {
    std::random_device random;
    bits = std::uint64_t{random()} << 32 | random();
  }
  return fmt::format("{:016x}", bits);
}

std::vector<Descendant> descendants_of(pid_t process) {
  const std::vector<Process> all = all_processes();
  std::vector<Descendant> found;
  std::vector<pid_t> parents{process};
  for (std::size_t k = 0; k < parents.size(); ++k)
    for (const Process& p : all)
      if (p.parent == parents[k]) {
        found.push_back(p.self);
        parents.push_back(p.self.id);
      }
  return found;
}

std::vector<Descendant> processes_with(std::string_view variable) {
  std::vector<Descendant> found;
  for (const Process& p : all_processes()) {
    std::ifstream file("/proc/" + std::to_string(p.self.id) + "/environ", std::ios::binary);
    for (std::string one; std::getline(file, one, '\0');)
      if (one == variable) found.push_back(p.self);
  }
  return found;
}

void kill_all(const std::vector<Descendant>& processes) noexcept {
  for (const Descendant& one : processes) {
    Process now;
    if (look_up(one.id, now) && now.self.started == one.started) ::kill(one.id, SIGKILL);
  }
}

void watch_stop_signals(int exit_status, void (*farewell)()) {
  if (::pipe2(bell.data(), O_CLOEXEC) != 0) bell = {-1, -1};
  ::fcntl(bell[1], F_SETFL, O_NONBLOCK);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    // Who started us with nohup does not want us to end with the terminal.
    if (signal == SIGHUP && ::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    std::signal(signal, on_stop_signal);
  }
  if (bell[0] < 0) return;  // the flag alone must do
  try {
    std::thread(watch, exit_status, farewell).detach();
  } catch (const std::system_error&) {  // no thread to be had: the same
  }
}

ProgramScope::ProgramScope(ProgramRules more) noexcept : before_(rules) {
  rules = {rules.forbidden || more.forbidden, rules.confined || more.confined};
}
ProgramScope::~ProgramScope() { rules = before_; }

ProgramRules program_rules() noexcept { return rules; }

void require_programs_allowed(std::string_view program) {
  if (rules.forbidden)
    throw Error(ErrorCode::usage,
                wording::format("{} would have to be run, which {} forbids", program, wording::option("no_run", true)),
                {}, wording::format("omit {} where you trust what is given", wording::option("no_run", true)));
}
}  // namespace sparsecast::base
