// sparsecast cluster predict and script: the scheme, the format and the number of processes that finish first.

#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cluster.hpp"
#include "app/cluster/answer.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "cluster/launch/job_script.hpp"

namespace sparsecast::app {
namespace {

using namespace cluster;
using nlohmann::ordered_json;

struct ClusterPredictArguments {
  ClusterQuestion question;
  std::string page, solver;
  ScriptOptions script;
};

// What predict and script share.
void add_choice(CLI::App& command, ClusterQuestion& q) {
  command.add_option("matrix", q.matrix, "matrix file, or ss:GROUP/NAME")->required();
  command.add_option("--cluster", q.profile, "cluster profile, from `cluster calibrate`");
  command.add_option("--node", q.node,
                     "without a cluster profile: the node, as `devices --catalogue` lists it, a profile or FILE.json");
  command.add_option("--network", q.network, "with --node: the network between nodes, as hdr200, or FILE.json");
  command.add_option("--nodes", q.nodes, "with --node: counts of nodes, separated by commas (default: 1,2,4,8,16)")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  command.add_option("--ranks-per-node", q.ranks_per_node, "with --node: processes on a node (default: its cores)")
      ->check(CLI::Range(1, 4096));
  command
      .add_option("--rank-threads", q.rank_threads, "with --node: threads of each process (a profile knows its own)")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--processes,-n", q.predict.processes,
                  "process counts to choose from, separated by commas (default: those calibrated)")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  command.add_option("--way,--scheme", q.schemes, "2du, g1dr, l1dr (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember({"2du", "g1dr", "l1dr"}));
  command.add_option("--format", q.formats, "csr, coo (default: both)")
      ->delimiter(',')
      ->check(CLI::IsMember(cluster::format_names()));
  command.add_option("--model", q.predict.model, "sparsecast, microbench, svr, linear or all")->capture_default_str();
  command.add_option("--seed", q.predict.seed, "of the random permutation of 2du")->capture_default_str();
}

void predict(ClusterPredictArguments& options, const Globals& globals) {
  const ClusterAnswer a = answer(options.question, globals);
  Page page(options.page, globals);
  if (page.wanted())
    page.write("Forecast of " + a.matrix.name() + " on " + a.cluster, "cluster-predict",
               answer_json(a, options.question));
  if (globals.json) return print_json("cluster-predict", answer_json(a, options.question));
  print(answer_text(a, options.question));
}

void script(ClusterPredictArguments& options, const Globals& globals) {
  // The example's products are those of this scheme.
  if (!options.solver.empty()) options.question.schemes = {"l1dr"};
  const ClusterAnswer a = answer(options.question, globals);
  options.script.matrix = std::filesystem::absolute(matrix_file(options.question.matrix, globals));
  options.script.cores_per_node = a.cores_per_node;
  options.script.rank_threads = a.rank_threads;
  const std::string text = job_script(a.choice.recommended, options.script);
  if (!options.solver.empty()) write_solver(a.matrix, a.choice.recommended, options.solver);
  if (!globals.json) {
    print_data(text);
    return;
  }
  ordered_json document{
      {"recommended", short_json(a.choice.recommended)}, {"scheduler", options.script.scheduler}, {"script", text}};
  document["recommended"]["reason"] = a.choice.reason;
  print_json("cluster-script", document);
}

}  // namespace

void add_cluster_predict(CLI::App& cluster, const Globals& globals) {
  auto options = std::make_shared<ClusterPredictArguments>();
  CLI::App* command =
      cluster.add_subcommand("predict", "forecast every scheme on every process count, and which to take");
  add_choice(*command, options->question);
  command->add_option("--iterations", options->question.iterations, "iterations of a job, for its time and node hours")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 1e15));
  command
      ->add_option("--within", options->question.within_s, "seconds: the fewest nodes that do the iterations in time")
      ->check(CLI::PositiveNumber);
  command->add_option("--solver", options->question.solver,
                      "iterations of cg, bicgstab, gmres[:m], chebyshev, jacobi or power instead of products");
  command->add_flag("--all", options->question.all, "every scheme, format and model in the table");
  add_page_option(*command, options->page);
  command->callback([options, &globals] { predict(*options, globals); });
}

void add_cluster_script(CLI::App& cluster, const Globals& globals) {
  auto options = std::make_shared<ClusterPredictArguments>();
  options->question.predict.model = "sparsecast";
  CLI::App* command = cluster.add_subcommand("script", "the job script of the recommended scheme");
  add_choice(*command, options->question);
  command->add_option("--scheduler", options->script.scheduler, "slurm or mpirun")
      ->capture_default_str()
      ->check(CLI::IsMember({"slurm", "mpirun"}));
  command->add_option("--launcher", options->script.launcher, "launcher in the script (default: srun or mpirun)");
  command->add_option("--iterations", options->script.iterations, "iterations per timed batch")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command->add_option(
      "--solver", options->solver,
      "also write a program of your own on this partition to a folder: sparsecast_mpi.hpp, a solver that "
      "uses it, parts.txt (scheme l1dr)");
  command->add_option("--time", options->script.time_limit, "Slurm's time limit")->capture_default_str();
  command->callback([options, &globals] { script(*options, globals); });
}

}  // namespace sparsecast::app
