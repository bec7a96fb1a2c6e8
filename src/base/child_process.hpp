#pragma once
// Other programs as children: with their words, variables, working folder and outputs, bounded in time, and ended with
// everything that they started when the time is over or the user presses Ctrl-C. No shell is between.

#include <sys/types.h>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::base {
/// The variables that a child gets; at first this process's own.
class Environment {
 public:
  Environment();
  void set(std::string_view name, std::string_view value);
  void set_where_missing(std::string_view name, std::string_view value);
  void remove(std::string_view name);
  /// NAME=VALUE each.
  [[nodiscard]] const std::vector<std::string>& variables() const { return variables_; }

 private:
  [[nodiscard]] std::vector<std::string>::iterator find(std::string_view name);

  std::vector<std::string> variables_;
};

/// Where one of a child's outputs goes.
struct ChildOutput {
  enum class To {
    same_as_ours,     ///< what this process has in its place
    our_errors,       ///< this process's standard error
    with_the_output,  ///< of the errors: where the output goes
    file,             ///< made or emptied, for its owner alone
    caught            ///< comes back in ChildEnd
  };
  To to = To::same_as_ours;
  std::filesystem::path path = {};  ///< of the file
};

struct ChildJob {
  std::string program;  ///< a path, or a name that is looked for on PATH
  std::vector<std::string> arguments = {};
  Environment environment = {};
  std::filesystem::path folder = {};  ///< working folder; empty: ours. Paths of outputs do not depend on it.
  ChildOutput output = {}, errors = {};
  std::size_t most_caught = 1 << 20;  ///< bytes of each output; what comes beyond is read and dropped
  double time_limit_s = std::numeric_limits<double>::infinity();
  double grace_s = 1;           ///< between asking the child to end and making it
  int last_signal = SIGKILL;    ///< that it gets when the thread that started it ends, however that comes
  bool leaves_nothing = false;  ///< what it has started ends with it, also what left its group and session
  /// Of a program that others wrote: its own folders, the only ones that it writes to in a sandbox (ProgramRules).
  std::vector<std::filesystem::path> writes_beneath = {};
  std::int64_t most_memory_bytes = 0;  ///< of each of its processes; 0: no limit of ours
  std::int64_t most_file_bytes = 0;    ///< of each file that it writes; 0: no limit of ours
};

struct ChildEnd {
  int exit_status = 0;  ///< 128 + signal where a signal ended it
  int signal = 0;       ///< that ended it; 0: it ended by itself
  bool timed_out = false;
  double seconds = 0;  ///< from its start to its end
  std::string output, errors;
  bool cut = false;  ///< more was written than most_caught
};

/// Full path of an executable on PATH, which may also be given as a path; empty where there is none.
[[nodiscard]] std::filesystem::path find_program(const std::string& name);

/// A running child, the leader of a process group of its own. It reads nothing: its standard input is empty.
class ChildProcess {
 public:
  /// Error unavailable where the program is not here or does not start; failed where no process or file can be had;
  /// usage where programs are forbidden (guard/cleanup.hpp).
  explicit ChildProcess(const ChildJob& job);
  /// Ends the child and its group where it still runs.
  ~ChildProcess();
  ChildProcess& operator=(ChildProcess&&) = delete;  // nor copied

  /// Waits up to so many seconds for its end and takes in what it writes meanwhile. Whether it has ended.
  bool ended_within(double seconds);
  /// Asks the group to end, then makes it.
  void stop();
  /// Behind its end.
  [[nodiscard]] const ChildEnd& end() const { return end_; }

 private:
  struct Pipe {
    int descriptor = -1;
    std::string* text = nullptr;
  };

  void wait_for_output(double seconds);
  void take_output();
  bool look_for_end();
  void end_what_is_left() const;

  std::array<Pipe, 2> pipes_;
  std::size_t most_caught_;
  double grace_s_, start_s_ = 0;
  double pause_s_ = 0.001;  ///< between two looks: short for a short run, which is timed, longer for a long one
  std::string mark_;        ///< a variable of all that it starts; empty where what is left may stay
  pid_t id_ = -1;
  bool running_ = false;
  ChildEnd end_;
};

/// Runs the child to its end, or ends it at its time limit. Error as of ChildProcess; interrupted, the child has ended
/// then.
[[nodiscard]] ChildEnd run_child(const ChildJob& job);
}  // namespace sparsecast::base
