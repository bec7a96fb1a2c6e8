#include "base/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <sparsecast/error.hpp>
#include <system_error>

#include "base/clock.hpp"
#include "base/guard/descendants.hpp"
#include "base/guard/program_rules.hpp"
#include "base/guard/sandbox.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"

// posix_spawn has no way to bind a child's life to its parent's, so this is fork and exec; between the two nothing is
// called that another thread's lock could hold up (no memory, no environment): all words are made before.

namespace sparsecast::base {
namespace {
namespace fs = std::filesystem;

/// Descriptors that are closed at the end of the scope unless they are kept.
class Descriptors {
 public:
  Descriptors() = default;
  ~Descriptors() {
    for (const int descriptor : open_) ::close(descriptor);
  }
  Descriptors& operator=(Descriptors&&) = delete;  // nor copied

  /// Above the three standard ones, so that putting one in its place closes no other.
  int add(int descriptor, const std::string& what) {
    if (descriptor < 0) throw Error(ErrorCode::failed, "cannot be opened: " + error_text(errno), {what}, remedy);
    if (descriptor <= STDERR_FILENO) {
      const int higher = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
      ::close(descriptor);
      return add(higher, what);
    }
    open_.push_back(descriptor);
    return descriptor;
  }
  int keep(int descriptor) {
    std::erase(open_, descriptor);
    return descriptor;
  }
  void close(int descriptor) { ::close(keep(descriptor)); }
  /// Its reading and its writing end.
  std::array<int, 2> add_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw Error(ErrorCode::failed, "cannot open a pipe to a program: " + error_text(errno), {}, remedy);
    const int reading = add(ends[0], "pipe");
    return {reading, add(ends[1], "pipe")};
  }

 private:
  static constexpr const char* remedy = "check that the folder exists and that not too many files are open";
  std::vector<int> open_;
};

/// Everything that the child needs between fork and exec.
struct Start {
  const char* program = nullptr;
  std::vector<char*> words, variables;
  std::string folder;
  int input = -1, output = -1, errors = -1;  ///< -1: ours
  int trouble = -1;                          ///< takes errno where the program does not start
  pid_t parent = 0;
  int last_signal = 0;
  std::int64_t most_memory_bytes = 0, most_file_bytes = 0;  ///< 0: as many as this process may have
  std::optional<Sandbox> sandbox = {};
};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

void lower_limit(__rlimit_resource_t what, std::int64_t most) {
  rlimit limit{};
  if (most <= 0 || ::getrlimit(what, &limit) != 0 || limit.rlim_cur <= static_cast<rlim_t>(most)) return;
  limit.rlim_cur = limit.rlim_max = static_cast<rlim_t>(most);
  ::setrlimit(what, &limit);
}

[[noreturn]] void become_program(const Start& start) {
  ::setpgid(0, 0);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
  lower_limit(RLIMIT_AS, start.most_memory_bytes);
  lower_limit(RLIMIT_FSIZE, start.most_file_bytes);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, start.last_signal);
  if (::getppid() != start.parent) ::_exit(127);
  bool ready = ::dup2(start.input, STDIN_FILENO) >= 0;
  if (start.output >= 0) ready = ready && ::dup2(start.output, STDOUT_FILENO) >= 0;
  if (start.errors >= 0) ready = ready && ::dup2(start.errors, STDERR_FILENO) >= 0;
  if (!start.folder.empty()) ready = ready && ::chdir(start.folder.c_str()) == 0;
  if (start.sandbox) start.sandbox->enter();
  if (ready) ::execve(start.program, start.words.data(), start.variables.data());
  const int number = errno;
  static_cast<void>(!::write(start.trouble, &number, sizeof number));
  ::_exit(127);
}

// Without what other libraries do around a fork(): the child calls nothing of theirs before it is another program, and
// one of them waits for ever there (OpenBLAS for its threads, where a thread that it did not start forks).
pid_t copy_of_this_process() {
#if defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 34)
  return ::_Fork();
#else
  return ::fork();
#endif
}

/// The descriptor for one output; -1 where it stays. `reading` gets the end of a pipe that is ours.
int open_output(const ChildOutput& output, int with, Descriptors& descriptors, int& reading) {
  switch (output.to) {
    case ChildOutput::To::same_as_ours: return -1;
    case ChildOutput::To::our_errors:
      return descriptors.add(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), "standard error");
    case ChildOutput::To::with_the_output: return with >= 0 ? with : STDOUT_FILENO;
    case ChildOutput::To::file:
      return descriptors.add(::open(output.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
                             output.path.string());
    case ChildOutput::To::caught: break;
  }
  const auto [read_end, write_end] = descriptors.add_pipe();
  ::fcntl(read_end, F_SETFL, O_NONBLOCK);
  reading = read_end;
  return write_end;
}

bool is_executable(const fs::path& file) {
  std::error_code unknown;
  return fs::is_regular_file(file, unknown) && ::access(file.c_str(), X_OK) == 0;
}
}  // namespace

Environment::Environment() {
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable)
    variables_.emplace_back(*variable);
}

std::vector<std::string>::iterator Environment::find(std::string_view name) {
  return std::ranges::find_if(variables_, [&](const std::string& variable) {
    return variable.starts_with(name) && variable.substr(name.size(), 1) == "=";
  });
}

void Environment::set(std::string_view name, std::string_view value) {
  remove(name);
  variables_.push_back(fmt::format("{}={}", name, value));
}

void Environment::set_where_missing(std::string_view name, std::string_view value) {
  if (find(name) == variables_.end()) variables_.push_back(fmt::format("{}={}", name, value));
}

void Environment::remove(std::string_view name) {
  for (auto at = find(name); at != variables_.end(); at = find(name)) variables_.erase(at);
}

fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_executable(name) ? fs::absolute(name) : fs::path();
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path == nullptr ? "/usr/bin:/bin" : path, ':'))
    if (const fs::path found = fs::path(folder) / name; !folder.empty() && is_executable(found))
      return fs::absolute(found);
  return {};
}

ChildProcess::ChildProcess(const ChildJob& job) : most_caught_(job.most_caught), grace_s_(job.grace_s) {
  require_programs_allowed(job.program);
  Environment environment = job.environment;
  if (job.leaves_nothing) {
    static std::atomic<int> count{0};
    constexpr std::string_view name = "SPARSECAST_CHILD";
    const std::string value = fmt::format("{}.{}.{:.9f}", ::getpid(), ++count, now_s());
    environment.set(name, value);
    mark_ = fmt::format("{}={}", name, value);
  }
  const std::string program = find_program(job.program).string();
  if (program.empty())
    throw Error(ErrorCode::unavailable, fmt::format("program '{}' is not found", job.program), {},
                "check that it is installed");
  std::vector<std::string> words{job.program};
  words.insert(words.end(), job.arguments.begin(), job.arguments.end());
  Descriptors descriptors;
  Start start;
  start.program = program.c_str();
  start.words = pointers(words);
  start.variables = pointers(environment.variables());
  start.folder = job.folder.string();
  start.input = descriptors.add(::open("/dev/null", O_RDONLY | O_CLOEXEC), "/dev/null");
  start.output = open_output(job.output, -1, descriptors, pipes_[0].descriptor);
  start.errors = open_output(job.errors, start.output, descriptors, pipes_[1].descriptor);
  const auto [trouble, trouble_end] = descriptors.add_pipe();
  start.trouble = trouble_end;
  start.parent = ::getpid();
  start.last_signal = job.last_signal;
  start.most_memory_bytes = job.most_memory_bytes;
  start.most_file_bytes = job.most_file_bytes;
  if (program_rules().confined && !job.writes_beneath.empty()) start.sandbox.emplace(job.writes_beneath);
  start_s_ = now_s();
  id_ = copy_of_this_process();
  if (id_ == 0) become_program(start);
  if (id_ < 0)
    throw Error(ErrorCode::failed, fmt::format("cannot start {}: {}", job.program, error_text(errno)), {},
                "end other programs");
  ::setpgid(id_, id_);
  // The end of this pipe tells that the program runs; a number, that it does not.
  descriptors.close(trouble_end);
  int number = 0;
  ssize_t got = 0;
  do got = ::read(trouble, &number, sizeof number);
  while (got < 0 && errno == EINTR);
  if (got > 0) {
    ::waitpid(id_, nullptr, 0);
    throw Error(ErrorCode::unavailable, fmt::format("cannot run {}: {}", program, error_text(number)), {},
                "check that it is installed completely");
  }
  running_ = true;
  for (Pipe& pipe : pipes_)
    if (pipe.descriptor >= 0) descriptors.keep(pipe.descriptor);
  pipes_[0].text = &end_.output;
  pipes_[1].text = &end_.errors;
}

ChildProcess::~ChildProcess() {
  if (running_) stop();
  for (const Pipe& pipe : pipes_)
    if (pipe.descriptor >= 0) ::close(pipe.descriptor);
}

void ChildProcess::take_output() {
  std::array<char, 1 << 16> bytes;
  for (Pipe& pipe : pipes_)
    // A child that writes faster than this is read does not hold up what else is watched here.
    for (int k = 0; pipe.descriptor >= 0 && k < 64; ++k) {
      const ssize_t got = ::read(pipe.descriptor, bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) break;
      if (got <= 0) {
        ::close(pipe.descriptor);
        pipe.descriptor = -1;
        break;
      }
      const std::size_t room = most_caught_ - pipe.text->size();
      end_.cut = end_.cut || static_cast<std::size_t>(got) > room;
      pipe.text->append(bytes.data(), std::min(room, static_cast<std::size_t>(got)));
    }
}

void ChildProcess::wait_for_output(double seconds) {
  std::array<pollfd, 2> ready{};
  for (std::size_t k = 0; k < ready.size(); ++k) ready[k] = {pipes_[k].descriptor, POLLIN, 0};
  ::poll(ready.data(), ready.size(), std::max(1, static_cast<int>(1e3 * seconds)));  // -1 is passed over
  take_output();
}

bool ChildProcess::look_for_end() {
  if (!running_) return true;
  int status = 0;
  const pid_t ended = ::waitpid(id_, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  running_ = false;
  end_.seconds = now_s() - start_s_;
  take_output();  // what came before the end; what the child left running is not waited for
  end_what_is_left();
  end_.signal = ended > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end_.exit_status = end_.signal > 0 ? 128 + end_.signal : WEXITSTATUS(status);
  if (ended < 0) end_.exit_status = 127;  // nobody can tell: who started us ignores the end of children
  return true;
}

// It would hold our outputs open, for which whoever reads them waits.
void ChildProcess::end_what_is_left() const {
  constexpr int most_rounds = 5;  // a process may start another while it is looked for
  for (int round = 0; round < most_rounds && !mark_.empty(); ++round) {
    const std::vector<Descendant> left = processes_with(mark_);
    if (left.empty()) return;
    kill_all(left);
  }
}

bool ChildProcess::ended_within(double seconds) {
  const double until = now_s() + seconds;
  while (!look_for_end()) {
    const double left = until - now_s();
    if (left <= 0) return false;
    wait_for_output(std::min(pause_s_, left));
    pause_s_ = std::min(1.2 * pause_s_, 0.02);
  }
  return true;
}

void ChildProcess::stop() {
  // A launcher's ranks have groups of their own: all that stem from it are looked up while it still is their parent.
  const std::vector<Descendant> below = descendants_of(id_);
  ::kill(-id_, SIGTERM);
  // The user waits for the end, and the program is ended shortly (cleanup.hpp).
  const bool ended = ended_within(interrupt_requested() ? std::min(grace_s_, 0.3) : grace_s_);
  ::kill(-id_, SIGKILL);  // whatever is left of the group
  kill_all(below);
  while (!ended && !ended_within(1)) {
  }
}

ChildEnd run_child(const ChildJob& job) {
  ChildProcess child(job);
  const double limit = now_s() + job.time_limit_s;
  bool timed_out = false;
  while (!timed_out && !child.ended_within(std::clamp(limit - now_s(), 0.0, 0.1))) {
    timed_out = now_s() >= limit;
    if (!timed_out && !interrupt_requested()) continue;
    child.stop();
  }
  throw_if_interrupted();
  ChildEnd end = child.end();
  end.timed_out = timed_out;
  return end;
}
}  // namespace sparsecast::base
