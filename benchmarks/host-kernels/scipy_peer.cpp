// SciPy runs in a process of its own that reads the arrays from files and is told through a pipe what to do.

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "peers.hpp"

namespace sparsecast::bench {

struct ScipySession::Process {
  pid_t child = -1;
  std::FILE* to = nullptr;
  std::FILE* from = nullptr;
  std::filesystem::path folder;

  Process(const std::string& python, const std::string& script) {
    std::string pattern = (std::filesystem::temp_directory_path() / "sparsecast-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder = pattern;
    std::array<int, 2> down{}, up{};
    if (pipe(down.data()) != 0 || pipe(up.data()) != 0) throw std::runtime_error("no pipe");
    child = fork();
    if (child == 0) {
      dup2(down[0], STDIN_FILENO);
      dup2(up[1], STDOUT_FILENO);
      close(down[1]);
      close(up[0]);
      execl(python.c_str(), python.c_str(), script.c_str(), folder.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    close(down[0]);
    close(up[1]);
    to = fdopen(down[1], "w");
    from = fdopen(up[0], "r");
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    std::fclose(to);  // which ends it
    std::fclose(from);
    waitpid(child, nullptr, 0);
    std::filesystem::remove_all(folder);
  }

  // A command's answer, one number; a negative one where the process is gone.
  double ask(const std::string& command) {
    std::fprintf(to, "%s\n", command.c_str());
    std::fflush(to);
    double answer = 0;
    return std::fscanf(from, "%lf", &answer) == 1 ? answer : -1;
  }
  template <class T>
  void write(const char* name, std::span<const T> values) {
    std::FILE* file = std::fopen((folder / name).c_str(), "wb");
    std::fwrite(values.data(), sizeof(T), values.size(), file);
    std::fclose(file);
  }
};

ScipySession::ScipySession(const std::string& python, const std::string& script) {
  if (python.empty()) return;
  std::signal(SIGPIPE, SIG_IGN);  // it may end at once
  process_ = std::make_shared<Process>(python, script);
}
ScipySession::~ScipySession() = default;

template <class Value>
std::vector<Contestant> ScipySession::peers(const Task<Value>& task) {
  if (process_ == nullptr) return {};
  const NarrowCsr<Value> csr(task.matrix);
  process_->write("pointers", csr.pointers);
  process_->write("columns", csr.columns);
  process_->write("values", csr.values);
  process_->write("x", task.x);
  const std::string sizes = std::to_string(task.matrix.rows()) + ' ' + std::to_string(task.matrix.cols()) + ' ' +
                            std::to_string(task.vectors) + ' ' + std::to_string(sizeof(Value));
  if (process_->ask("load " + sizes) < 0) {
    std::fprintf(stderr, "without SciPy\n");
    return {};
  }
  return {{"scipy", csr.bytes(),
           [process = process_](int times) { return process->ask("run " + std::to_string(times)); },
           [process = process_] { return process->ask("sum"); }}};
}
template std::vector<Contestant> ScipySession::peers(const Task<float>&);
template std::vector<Contestant> ScipySession::peers(const Task<double>&);

}  // namespace sparsecast::bench
