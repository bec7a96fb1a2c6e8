#include "cluster/launch/launcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sstream>
#include <thread>
#include <utility>

#include "base/home.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "cluster/launch/platform.hpp"

namespace sparsecast::cluster {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string read_text(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool is_executable(const fs::path& file) { return fs::is_regular_file(file) && access(file.c_str(), X_OK) == 0; }

bool on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return is_executable(program);
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : base::split(path == nullptr ? "/usr/bin:/bin" : path, ':'))
    if (!folder.empty() && is_executable(fs::path(folder) / program)) return true;
  return false;
}

void require_launcher(const std::string& program, bool simulation) {
  if (on_path(program)) return;
  throw Error(ErrorCode::unavailable, fmt::format("the launcher '{}' is not here", program), {},
              simulation ? "install libsimgrid-dev"
                         : "install openmpi-bin, load the site's MPI module, or name the launcher with --launcher");
}

// Variables that make Open MPI take more ranks than cores and, in a container, run as root; others do not read them.
std::vector<std::pair<const char*, const char*>> launcher_environment() {
  std::vector<std::pair<const char*, const char*>> variables{
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"},
      {"OMP_NUM_THREADS", "1"}};
  if (geteuid() == 0) {
    variables.emplace_back("OMPI_ALLOW_RUN_AS_ROOT", "1");
    variables.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  return variables;
}

// The launcher as a child with its own process group and both outputs in files of the job folder.
class Child {
 public:
  Child(const std::vector<std::string>& words, const fs::path& folder) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const auto variables = launcher_environment();
    const int out = open((folder / "launcher.out").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int err = open((folder / "launcher.err").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const pid_t parent = getpid();
    id_ = fork();
    if (id_ == 0) {
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != parent) _exit(127);
      for (const auto& [name, value] : variables) setenv(name, value, 0);
      dup2(in, 0);
      dup2(out, 1);
      dup2(err, 2);
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
    for (const int descriptor : {in, out, err})
      if (descriptor >= 0) close(descriptor);
    if (id_ < 0) throw Error(ErrorCode::failed, std::string("cannot start the launcher: ") + std::strerror(errno));
    setpgid(id_, id_);
  }
  ~Child() {
    if (!ended_) stop();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool ended() {
    if (!ended_ && waitpid(id_, &status_, WNOHANG) == id_) ended_ = true;
    return ended_;
  }
  [[nodiscard]] int status() const { return status_; }

  /// Asks the group to end, then makes it. Open MPI ends its ranks when it is asked.
  void stop() {
    kill(-id_, SIGTERM);
    for (const auto start = Clock::now(); since(start) < 3 && !ended();)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    kill(-id_, SIGKILL);
    if (!ended_ && waitpid(id_, &status_, 0) == id_) ended_ = true;
  }

 private:
  pid_t id_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

// What the launcher said that a user can use: the line that names a signal or an abort, else its first line of text.
std::string last_words(const fs::path& folder) {
  const std::string text = read_text(folder / "launcher.err") + read_text(folder / "launcher.out");
  std::string first;
  for (std::string_view line : base::split(text, '\n')) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.empty() || line.find_first_not_of("-= ") == std::string_view::npos) continue;
    if (first.empty()) first = line;
    for (const char* const word : {"signal", "sparsecast-rank: rank", "MPI_ABORT", "Killed"})
      if (line.find(word) != std::string_view::npos) return std::string(line);
  }
  return first;
}

[[noreturn]] void throw_agreed(const nlohmann::json& error) {
  throw Error(static_cast<ErrorCode>(error.at("code").get<int>()), error.at("reason"),
              {error.at("file"), error.at("line"), error.at("column")}, error.at("remedy"));
}

void wait_for_end(Child& child, const Launch& launch, const fs::path& folder) {
  auto sign_of_life = Clock::now();
  fs::file_time_type seen{};
  for (auto pause = std::chrono::milliseconds(1); !child.ended();
       pause = std::min(2 * pause, std::chrono::milliseconds(50))) {
    std::this_thread::sleep_for(pause);
    base::throw_if_interrupted();
    std::error_code absent;
    const auto alive = fs::last_write_time(folder / "alive", absent);
    if (!absent && alive != seen) {
      seen = alive;
      sign_of_life = Clock::now();
    }
    if (since(sign_of_life) > launch.patience_s) {
      child.stop();
      throw Error(ErrorCode::failed,
                  fmt::format("the ranks gave no sign of life for {:.0f} s and were ended", launch.patience_s), {},
                  "is a rank stopped or a node lost? --patience sets another limit");
    }
  }
}

}  // namespace

JobFolderOwner::JobFolderOwner(const fs::path& scratch) {
  const fs::path base = scratch.empty() ? base::home_folder() / "cluster-jobs" : scratch;
  std::error_code failure;
  fs::create_directories(base, failure);
  std::string name = (base / "job-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw Error(ErrorCode::failed, std::string("no folder for the job: ") + std::strerror(errno), {base.string()},
                "name another place with --scratch");
  path_ = fs::absolute(name);
}

JobFolderOwner::~JobFolderOwner() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> launch_command(const Launch& launch, const fs::path& program, const fs::path& folder) {
  const std::string processes = std::to_string(launch.processes);
  if (!launch.platform.empty()) {
    auto words = simulation_command(launch.platform, launch.processes, folder);
    words.insert(words.end(), {program.string(), folder.string()});
    return words;
  }
  std::vector<std::string> words = words_of(launch.launcher);
  if (words.empty()) throw Error(ErrorCode::usage, "the launcher has no name", {}, "for example --launcher mpirun");
  words.insert(words.end(), {"-n", processes});
  // Slurm lets the other ranks go on waiting for one that died unless told otherwise.
  if (fs::path(words[0]).filename() == "srun") words.emplace_back("--kill-on-bad-exit=1");
  words.insert(words.end(), {program.string(), folder.string()});
  return words;
}

fs::path rank_program(bool simulation) {
  const std::string name = simulation ? "sparsecast-rank-smpi" : "sparsecast-rank";
  std::vector<fs::path> places;
  if (const char* named = std::getenv("SPARSECAST_RANK"); named != nullptr && !simulation) places.emplace_back(named);
  std::error_code failure;
  if (const fs::path self = fs::read_symlink("/proc/self/exe", failure); !failure)
    places.insert(places.end(),
                  {self.parent_path() / name, self.parent_path().parent_path() / "libexec/sparsecast" / name});
  for (const fs::path& place : places)
    if (fs::is_regular_file(place)) return place;
  throw Error(
      ErrorCode::unavailable, fmt::format("this build has no {}", name), {},
      simulation ? "install libsimgrid-dev and build again" : "install libopenmpi-dev and openmpi-bin and build again");
}

std::string run_ranks(const Launch& launch, const Job& job, const fs::path& folder) {
  const auto command = launch_command(launch, rank_program(!launch.platform.empty()), folder);
  require_launcher(command[0], !launch.platform.empty());
  std::ofstream(folder / "job.json") << to_text(job);
  for (const char* const old : {"outcome.json", "alive"}) fs::remove(folder / old);
  Child child(command, folder);
  wait_for_end(child, launch, folder);
  if (const fs::path outcome = folder / "outcome.json"; fs::exists(outcome)) {
    std::string text = read_text(outcome);
    const auto document = nlohmann::json::parse(text, nullptr, false);
    if (document.is_discarded()) throw Error(ErrorCode::failed, "the ranks' answer is no JSON", {outcome.string()});
    if (document.contains("error")) throw_agreed(document.at("error"));
    if (child.status() == 0) return text;
  }
  const int status = child.status();
  const std::string how = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                              : fmt::format("exit status {}", WEXITSTATUS(status));
  const std::string words = last_words(folder);
  throw Error(ErrorCode::failed,
              fmt::format("the ranks ended before their work was done ({} of {})", how, command[0]) +
                  (words.empty() ? "" : ": " + words),
              {}, "all other ranks were ended too");
}

}  // namespace sparsecast::cluster
