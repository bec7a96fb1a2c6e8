#include "traffic/run/octave.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sparsecast/error.hpp>
#include <thread>

#include "base/interrupt.hpp"
#include "base/text.hpp"

namespace sparsecast::traffic {
namespace {

bool is_executable(const std::string& path) {
  return access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path);
}

// Ends the whole process group: first kindly, then not.
void stop(pid_t group) {
  kill(-group, SIGTERM);
  for (int i = 0; i < 20; ++i) {
    if (waitpid(group, nullptr, WNOHANG) == group) {
      kill(-group, SIGKILL);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  kill(-group, SIGKILL);
  waitpid(group, nullptr, 0);
}

}  // namespace

std::string find_octave() {
  const char* chosen = std::getenv("SPARSECAST_OCTAVE");
  if (chosen != nullptr && *chosen != '\0') {
    if (is_executable(chosen)) return chosen;
    throw Error(ErrorCode::unavailable, std::string("SPARSECAST_OCTAVE names no program: ") + chosen);
  }
  const char* path = std::getenv("PATH");
  for (const std::string_view name : {"octave-cli", "octave"})
    for (const std::string_view folder : base::split(path == nullptr ? "" : path, ':')) {
      std::string candidate = std::string(folder) + "/" + std::string(name);
      if (!folder.empty() && is_executable(candidate)) return candidate;
    }
  throw Error(ErrorCode::unavailable, "GNU Octave is not here, which runs the translated program", {},
              "install the package octave, or translate with --translate-only and run the result in MATLAB");
}

OctaveEnd run_octave(const OctaveJob& job) {
  const std::string octave = find_octave();
  std::vector<std::string> words{octave, "--norc", "--quiet", "--no-history", "--eval", job.code};
  if (octave.ends_with("/octave")) words.insert(words.begin() + 1, "--no-gui");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<std::string> environment = job.environment;

  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) throw Error(ErrorCode::failed, "cannot start GNU Octave: no process left");
  if (child == 0) {
    setpgid(0, 0);
    std::signal(SIGPIPE, SIG_DFL);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    if (job.output_to_stderr) dup2(2, 1);
    if (!job.messages.empty()) dup2(open(job.messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    if (!job.folder.empty() && chdir(job.folder.c_str()) != 0) _exit(127);
    for (std::string& variable : environment) putenv(variable.data());
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  setpgid(child, child);
  OctaveEnd end;
  int status = 0;
  for (;;) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (done == child) break;
    if (base::interrupt_requested() || end.seconds > job.time_limit_s) {
      stop(child);
      base::throw_if_interrupted();
      end.timed_out = true;
      return end;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(end.seconds < 1 ? 2 : 20));
  }
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

}  // namespace sparsecast::traffic
