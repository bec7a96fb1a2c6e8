#include "cluster/launch/job.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/embedded.hpp"
#include "base/fields/json.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/text.hpp"

namespace sparsecast {
template <>
struct Words<cluster::Task> {
  static constexpr std::array table{std::pair{cluster::Task::measure, std::string_view("measure")},
                                    std::pair{cluster::Task::simulate, std::string_view("simulate")},
                                    std::pair{cluster::Task::benchmark, std::string_view("benchmark")}};
};
template <>
struct Words<cluster::MatrixForm> {
  static constexpr std::array table{std::pair{cluster::MatrixForm::market, std::string_view("market")},
                                    std::pair{cluster::MatrixForm::entries, std::string_view("entries")}};
};
template <>
struct Fields<cluster::JobMatrix> {
  static constexpr auto table = std::tuple(field<&cluster::JobMatrix::file>(""), field<&cluster::JobMatrix::form>(""));
};
template <>
struct Fields<cluster::Case> {
  static constexpr auto table =
      std::tuple(field<&cluster::Case::scheme>("").as("way"), field<&cluster::Case::format>(""));
};
template <>
struct Fields<cluster::Job> {
  using J = cluster::Job;
  static constexpr auto table =
      std::tuple(field<&J::task>(""), field<&J::matrix>(""), field<&J::cases>(""), field<&J::iterations>(""),
                 field<&J::threads>("", at_least(1)).or_default(), field<&J::precision>("").or_default(),
                 field<&J::seed>(""), field<&J::budget_s>(""), field<&J::keep_vectors>(""),
                 field<&J::largest_message_bytes>(""), field<&J::limit_s>("").or_default());
};
}  // namespace sparsecast

namespace sparsecast::cluster {
using nlohmann::ordered_json;

std::string to_text(const Job& job) { return base::json_text(base::written(job), 2) + "\n"; }

Job parse_job(const std::string& text, const std::string& file) {
  try {
    return base::read_struct<Job>(base::parse_json(text, {}));
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_input, "not a job of sparsecast cluster: " + error.reason(), {file});
  }
}

ordered_json error_json(const Error& error) {
  return {{"code", static_cast<int>(error.code())},
          {"reason", error.reason()},
          {"file", error.place().file},
          {"line", error.place().line},
          {"column", error.place().column},
          {"remedy", error.remedy()}};
}

Error error_from(const ordered_json& document) {
  return {static_cast<ErrorCode>(document.at("code").get<int>()),
          document.at("reason"),
          {document.at("file"), document.at("line"), document.at("column")},
          document.at("remedy")};
}
}  // namespace sparsecast::cluster

namespace sparsecast::embedded {
std::span<const File> solver_example();  // examples/cluster/
}

namespace sparsecast::cluster {
namespace {
// A word of the shell, whatever it holds: in single quotes, a single quote itself as '\''.
std::string quoted(const std::string& word) { return fmt::format("'{}'", base::replaced(word, "'", "'\\''")); }
}  // namespace

std::string job_script(const ClusterForecast& choice, const ScriptOptions& options) {
  const bool slurm = options.scheduler == "slurm";
  if (!slurm && options.scheduler != "mpirun")
    throw Error(ErrorCode::usage, fmt::format("no job script for '{}'", options.scheduler), {}, "take slurm or mpirun");
  const std::string launcher = !options.launcher.empty() ? options.launcher : slurm ? "srun" : "mpirun";
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

void write_solver(const Matrix& matrix, const ClusterForecast& choice, const std::filesystem::path& folder) {
  if (choice.scheme != Scheme::local_rows)
    throw Error(ErrorCode::usage, fmt::format("the solver's products are l1dr's, not {}'s", to_string(choice.scheme)),
                {}, "ask with --way l1dr");
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  for (const embedded::File& file : embedded::solver_example())
    base::write_file_atomically(folder / file.name, file.text, {.what = "solver"});
  std::string parts;
  for (const std::int32_t part : partition_rows(matrix, choice.processes)) parts += std::to_string(part) + '\n';
  base::write_file_atomically(folder / "parts.txt", parts, {.what = "partition"});
}
}  // namespace sparsecast::cluster
