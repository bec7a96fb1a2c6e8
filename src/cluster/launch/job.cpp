#include "cluster/launch/job.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/text.hpp"

namespace sparsecast::cluster {
namespace {
using nlohmann::ordered_json;

constexpr const char* task_names[] = {"measure", "simulate", "benchmark"};
constexpr const char* form_names[] = {"market", "entries"};

template <class Enum, std::size_t N>
Enum parse_name(const char* const (&names)[N], const std::string& name) {
  for (std::size_t k = 0; k < N; ++k)
    if (names[k] == name) return static_cast<Enum>(k);
  throw Error(ErrorCode::bad_input, "unknown name '" + name + "'");
}
}  // namespace

std::string to_text(const Job& job) {
  ordered_json document{{"schema", "sparsecast/cluster-job/1"},
                        {"task", task_names[static_cast<int>(job.task)]},
                        {"matrix", {{"file", job.matrix_file}, {"form", form_names[static_cast<int>(job.form)]}}},
                        {"iterations", job.iterations},
                        {"threads", job.threads},
                        {"neighbourhood", job.neighbourhood},
                        {"precision", to_string(job.precision)},
                        {"seed", job.seed},
                        {"budget_s", job.budget_s},
                        {"keep_vectors", job.keep_vectors},
                        {"largest_message_bytes", job.largest_message_bytes},
                        {"limit_s", job.limit_s}};
  document["cases"] = ordered_json::array();
  for (const Case& c : job.cases)
    document["cases"].push_back({{"way", to_string(c.scheme)}, {"format", to_string(c.format)}});
  return document.dump(2) + "\n";
}

Job parse_job(const std::string& text, const std::string& file) {
  try {
    const auto document = nlohmann::json::parse(text);
    Job job;
    job.task = parse_name<Task>(task_names, document.at("task"));
    job.matrix_file = document.at("matrix").at("file");
    job.form = parse_name<MatrixForm>(form_names, document.at("matrix").at("form"));
    for (const auto& c : document.at("cases"))
      job.cases.push_back(
          {parse_scheme(c.at("way").get<std::string>()), parse_format(c.at("format").get<std::string>())});
    job.iterations = document.at("iterations");
    job.threads = document.value("threads", 1);
    job.neighbourhood = document.value("neighbourhood", false);
    if (document.value("precision", "double") == "single") job.precision = Precision::single_;
    if (job.threads < 1) throw Error(ErrorCode::bad_input, "a rank has no threads");
    job.seed = document.at("seed");
    job.budget_s = document.at("budget_s");
    job.keep_vectors = document.at("keep_vectors");
    job.largest_message_bytes = document.at("largest_message_bytes");
    job.limit_s = document.value("limit_s", 0.0);  // jobs of before have none
    return job;
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_input, "not a job of sparsecast cluster: " + error.reason(), {file});
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::bad_input, "not a job of sparsecast cluster: " + base::json_reason(error), {file});
  }
}
}  // namespace sparsecast::cluster

namespace sparsecast::embedded {
std::span<const File> solver_example();  // examples/cluster/
}

namespace sparsecast::cluster {
namespace {
// A word of the shell, whatever it holds: in single quotes, a single quote itself as '\''.
std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}
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
