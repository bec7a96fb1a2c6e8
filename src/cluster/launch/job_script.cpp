#include "cluster/launch/job_script.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "cluster/launch/mpirun_line.hpp"
#include "cluster/scheme/scheme.hpp"

namespace sparsecast::cluster {
namespace {
// A word of the shell, whatever it holds: in single quotes, a single quote itself as '\''.
std::string quoted(const std::string& word) { return fmt::format("'{}'", base::replaced(word, "'", "'\\''")); }

enum class Scheduler { slurm, mpirun };
constexpr std::pair<std::string_view, Scheduler> schedulers[] = {{"slurm", Scheduler::slurm},
                                                                 {"mpirun", Scheduler::mpirun}};

Scheduler scheduler_of(const std::string& name) {
  for (const auto& [word, scheduler] : schedulers)
    if (word == name) return scheduler;
  throw Error(ErrorCode::usage, fmt::format("there are no job scripts for '{}'", name), {}, "use slurm or mpirun");
}

// The command that it starts adds the number of processes, and leaves ranks of several threads unbound: no PE.
std::string mpirun(const ClusterForecast& choice, const ScriptOptions& options) {
  const std::string mapping = mapping_option(
      {choice.processes, choice.nodes, options.cores_per_node, options.rank_threads, options.cores_idle});
  return mapping.empty() ? "mpirun" : "mpirun " + mapping;
}
}  // namespace

std::string job_script(const ClusterForecast& choice, const ScriptOptions& options) {
  const bool slurm = scheduler_of(options.scheduler) == Scheduler::slurm;
  const std::string launcher = !options.launcher.empty() ? options.launcher : slurm ? "srun" : mpirun(choice, options);
  std::string script = "#!/bin/bash\n";
  if (slurm)
    script += fmt::format(
        "#SBATCH --job-name=sparsecast\n#SBATCH --nodes={}\n#SBATCH --ntasks={}\n#SBATCH --ntasks-per-node={}\n"
        "#SBATCH --cpus-per-task={}\n#SBATCH --exclusive\n#SBATCH --time={}\n",
        choice.nodes, choice.processes, std::min(choice.processes, options.cores_per_node), options.rank_threads,
        options.time_limit);
  script += fmt::format("# {} with {} on {} processes of {} node{}: forecast {} per iteration (model {}).\n",
                        to_string(choice.scheme), to_string(choice.format), choice.processes, choice.nodes,
                        choice.nodes == 1 ? "" : "s", base::format_seconds(choice.seconds), choice.model);
  script +=
      "# The matrix must lie where every node sees it, and so must the current folder, where the job's files go.\nset "
      "-euo pipefail\n\n";
  script += fmt::format("# shellcheck disable=SC2016  # a file name, whatever it holds\nmatrix={}\n",
                        quoted(options.matrix.string()));
  script += fmt::format(
      "sparsecast cluster measure \"$matrix\" --processes {} --way {} --format {} \\\n  --iterations {} --launcher {} "
      "{}--scratch \"$PWD\" --json\n",
      choice.processes, to_string(choice.scheme), to_string(choice.format), options.iterations, quoted(launcher),
      options.rank_threads > 1 ? fmt::format("--rank-threads {} ", options.rank_threads) : "");
  return script;
}
}  // namespace sparsecast::cluster
