#include "base/guard/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

namespace sparsecast::base {
namespace {
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
}  // namespace

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
}  // namespace sparsecast::base
