#include "cluster/launch/launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/child_process.hpp"
#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/home.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "cluster/launch/platform.hpp"
#include "fields/wording.hpp"

namespace sparsecast::cluster {
namespace {
namespace fs = std::filesystem;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

void require_launcher(const std::string& program, bool simulation) {
  if (!base::find_program(program).empty()) return;
  throw Error(ErrorCode::unavailable, fmt::format("the launcher '{}' is not found", program), {},
              simulation ? "install libsimgrid-dev"
                         : "install openmpi-bin, load the site's MPI module, or name the launcher with " +
                               wording::option("launcher"));
}

bool is_srun(const std::string& program) { return fs::path(program).filename() == "srun"; }

// The launcher with both outputs in files of the job folder, and what it keeps for itself in `own`.
base::ChildJob child_job(const std::vector<std::string>& words, int threads, const fs::path& folder,
                         const fs::path& own) {
  base::ChildJob job;
  job.program = words[0];
  job.arguments.assign(words.begin() + 1, words.end());
  // Variables that make Open MPI take more ranks than cores and, in a container, run as root; others do not read them.
  job.environment.set_where_missing("OMPI_MCA_rmaps_base_oversubscribe", "1");
  job.environment.set_where_missing("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
  job.environment.set_where_missing("OMP_NUM_THREADS", std::to_string(threads));
  // Open MPI has its sockets and tables there, and leaves them where it is killed. srun hands the variable on to nodes
  // that do not have the folder.
  if (!is_srun(words[0])) job.environment.set("TMPDIR", own.string());
  // Open MPI binds a rank to one core, which its threads would share.
  if (threads > 1) {
    job.environment.set_where_missing("OMPI_MCA_hwloc_base_binding_policy", "none");
    job.environment.set_where_missing("PRTE_MCA_hwloc_default_binding_policy", "none");
  }
  if (geteuid() == 0) {
    job.environment.set_where_missing("OMPI_ALLOW_RUN_AS_ROOT", "1");
    job.environment.set_where_missing("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  job.output = {base::ChildOutput::To::file, folder / "launcher.out"};
  job.errors = {base::ChildOutput::To::file, folder / "launcher.err"};
  job.grace_s = 3;            // Open MPI ends its ranks when it is asked
  job.last_signal = SIGTERM;  // it ends its ranks first
  return job;
}

// Empty where there is nothing to quote.
std::string logged(const fs::path& file) {
  try {
    return base::read_file(file);
  } catch (const Error&) {
    return {};
  }
}

// What the launcher said that a user can use: the line that names a signal or an abort, else its first line of text.
std::string last_words(const fs::path& folder) {
  const std::string text = logged(folder / "launcher.err") + logged(folder / "launcher.out");
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

void wait_for_end(base::ChildProcess& child, const Launch& launch, const fs::path& folder) {
  const double begin = base::now_s();
  double sign_of_life = begin;
  fs::file_time_type seen{};
  while (!child.ended_within(0.05)) {
    base::throw_if_interrupted();
    if (base::now_s() - begin > launch.limit_s) {
      child.stop();
      throw OutOfTime(ErrorCode::failed, fmt::format("{} processes did not finish within {:.0f} s and were ended",
                                                     launch.processes, launch.limit_s));
    }
    std::error_code absent;
    const auto alive = fs::last_write_time(folder / "alive", absent);
    if (!absent && alive != seen) {
      seen = alive;
      sign_of_life = base::now_s();
    }
    if (base::now_s() - sign_of_life > launch.patience_s) {
      child.stop();
      throw Error(ErrorCode::failed,
                  fmt::format("the ranks gave no sign of life for {:.0f} s and were ended", launch.patience_s), {},
                  wording::format("check whether a rank has stopped or a node was lost; {} sets another limit",
                                  wording::option("patience_s")));
    }
  }
}
}  // namespace

base::TemporaryPlace job_place(const fs::path& scratch) {
  return {.purpose = "the job",
          .prefix = "job",
          .parent = scratch.empty() ? base::home_folder() / "cluster-jobs" : scratch,
          .remedy = "name another place with " + wording::option("scratch")};
}

std::vector<std::string> launch_command(const Launch& launch, const fs::path& program, const fs::path& folder) {
  const std::string processes = std::to_string(launch.processes);
  if (!launch.platform.empty()) {
    auto words = simulation_command(launch.platform, launch.processes, folder);
    words.insert(words.end(), {program.string(), folder.string()});
    return words;
  }
  std::vector<std::string> words = words_of(launch.launcher);
  if (words.empty())
    throw Error(ErrorCode::usage, "the launcher is empty", {}, "for example " + wording::option("launcher", "mpirun"));
  words.insert(words.end(), {"-n", processes});
  // Slurm lets the other ranks go on waiting for one that died unless told otherwise.
  if (is_srun(words[0])) {
    words.emplace_back("--kill-on-bad-exit=1");
    if (launch.threads > 1) words.push_back(fmt::format("--cpus-per-task={}", launch.threads));
  }
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
  base::write_file_atomically(folder / "job.json", to_text(job), {"job", "check whether the disk is full"});
  for (const char* const old : {"outcome.json", "alive"}) fs::remove(folder / old);
  const base::TemporaryFolder own;
  base::ChildProcess child(child_job(command, launch.threads, folder, own.path()));
  wait_for_end(child, launch, folder);
  if (const fs::path outcome = folder / "outcome.json"; fs::exists(outcome)) {
    std::string text = base::read_file(outcome);
    const auto document = nlohmann::ordered_json::parse(text, nullptr, false);
    if (document.is_discarded()) throw Error(ErrorCode::failed, "the ranks' answer is not JSON", {outcome.string()});
    if (document.contains("error")) throw error_from(document.at("error"));
    if (child.end().exit_status == 0) return text;
  }
  const base::ChildEnd& end = child.end();
  const std::string how =
      end.signal > 0 ? fmt::format("signal {}", end.signal) : fmt::format("exit status {}", end.exit_status);
  const std::string words = last_words(folder);
  throw Error(ErrorCode::failed,
              fmt::format("the ranks ended before their work was done ({} of {})", how, command[0]) +
                  (words.empty() ? "" : ": " + words),
              {}, "all other ranks were ended as well");
}
}  // namespace sparsecast::cluster
