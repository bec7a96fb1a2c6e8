// sparsecast cluster: iterated products on MPI clusters.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <sparsecast/answers/cluster.hpp>

#include "app/cluster_text.hpp"
#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/terminal/progress_bar.hpp"
#include "app/terminal/terminal.hpp"
#include "base/fields/json.hpp"
#include "base/text.hpp"
#include "cluster/scheme/scheme.hpp"

namespace sparsecast::app {
namespace {
// Names of schemes and formats on the command line.
struct Cases {
  std::vector<std::string> schemes{"2du", "g1dr", "l1dr"}, formats = cluster::format_names();

  void add_options(CLI::App& command) {
    command.add_option("--way,--scheme", schemes, "2du, g1dr, l1dr (default: all)")
        ->delimiter(',')
        ->check(CLI::IsMember({"2du", "g1dr", "l1dr"}));
    command.add_option("--format", formats, "csr, coo (default: both)")
        ->delimiter(',')
        ->check(CLI::IsMember(cluster::format_names()));
  }
  template <class Request>
  void put_into(Request& request) const {
    request.schemes.clear();
    request.formats.clear();
    for (const std::string& scheme : schemes) request.schemes.push_back(cluster::parse_scheme(scheme));
    for (const std::string& format : formats) request.formats.push_back(cluster::parse_format(format));
  }
};

struct ClusterArguments {
  std::string matrix, page;
  Cases cases;
  ClusterScriptRequest request;  ///< of predict its first part
  bool all = false;
};

// What predict and script share.
void add_choice(CLI::App& command, ClusterArguments& options) {
  ClusterPredictRequest& q = options.request.predict;
  command.add_option("matrix", options.matrix, "matrix file, or ss:GROUP/NAME")->required();
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
      .add_option("--processes,-n", q.processes,
                  "process counts to choose from, separated by commas (default: those calibrated)")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  options.cases.add_options(command);
  command.add_option("--model", q.model, "sparsecast, microbench, svr, linear or all")->capture_default_str();
  command.add_option("--seed", q.seed, "of the random permutation of 2du")->capture_default_str();
}

ClusterPredictRequest request_of(const ClusterArguments& options, const Globals& globals, ProgressBar& bar) {
  ClusterPredictRequest request = options.request.predict;
  request.matrix = std::filesystem::path(options.matrix);
  options.cases.put_into(request);
  request.precision = globals.value_precision();
  request.threads = globals.threads;
  request.listener = listener_of(globals, &bar);
  return request;
}

void predict(const ClusterArguments& options, const Globals& globals) {
  ProgressBar bar(globals);
  const ClusterPrediction answer = cluster_predict(request_of(options, globals, bar));
  bar.clear();
  Page(options.page, globals)
      .write("Forecast of " + answer.matrix.name + " on " + answer.cluster.name, "cluster-predict",
             base::written(answer));
  globals.json ? print_json("cluster-predict", base::written(answer))
               : print(cluster_prediction_text(answer, options.all));
}

void script(const ClusterArguments& options, const Globals& globals) {
  ProgressBar bar(globals);
  ClusterScriptRequest request = options.request;
  request.predict = request_of(options, globals, bar);
  const ClusterScript answer = cluster_script(request);
  bar.clear();
  globals.json ? print_json("cluster-script", base::written(answer)) : print_data(answer.script);
}

struct ClusterMeasureArguments {
  std::string matrix, page;
  Cases cases;
  ClusterMeasureRequest request;
  bool unchecked = false;
};

std::string times_text(const ClusterTimes& answer) {
  base::TextTable table(
      {"scheme", "format", "processes", "one iteration", "5 % – 95 %", "in products", "from one process", "source"});
  table.keys(3);
  for (const ClusterTime& m : answer.measurements)
    table.add({std::string(word_of(m.scheme)), std::string(word_of(m.format)),
               m.threads ? fmt::format("{} × {}", m.processes, *m.threads) : std::to_string(m.processes),
               base::format_seconds(m.seconds), base::format_seconds(m.low_s) + " – " + base::format_seconds(m.high_s),
               base::format_seconds(m.core_s),
               m.checksum_error ? fmt::format("{:.1e}", *m.checksum_error) : "not checked", m.source});
  return table.text(layout());
}

void measure(const ClusterMeasureArguments& options, const Globals& globals) {
  ProgressBar bar(globals);
  ClusterMeasureRequest request = options.request;
  request.matrix = std::filesystem::path(options.matrix);
  options.cases.put_into(request);
  request.check = !options.unchecked;
  request.precision = globals.value_precision();
  request.threads = globals.threads;
  request.listener = listener_of(globals, &bar);
  const ClusterTimes answer = cluster_measure(request);
  bar.clear();
  Page(options.page, globals).write("Iterated products of " + answer.matrix, "cluster-measure", base::written(answer));
  globals.json ? print_json("cluster-measure", base::written(answer)) : print(times_text(answer));
}

void calibrate(const ClusterCalibrateRequest& options, const Globals& globals) {
  ProgressBar bar(globals);
  ClusterCalibrateRequest request = options;
  request.listener = listener_of(globals, &bar);
  const ClusterCalibration answer = cluster_calibrate(request);
  bar.clear();
  if (globals.json) return print_json("cluster-calibrate", base::written(answer));
  print(fmt::format("{}: {} message times, {} timed blocks, {} training runs ({})\n", answer.file, answer.message_times,
                    answer.timed_blocks, answer.training_runs, answer.source));
}

void add_predict_options(CLI::App& cluster, const Globals& globals) {
  auto options = std::make_shared<ClusterArguments>();
  ClusterPredictRequest& request = options->request.predict;
  CLI::App* command =
      cluster.add_subcommand("predict", "forecast every scheme on every process count, and which to take");
  add_choice(*command, *options);
  command->add_option("--iterations", request.iterations, "iterations of a job, for its time and node hours")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 1e15));
  command->add_option("--within", request.within_s, "seconds: the fewest nodes that do the iterations in time")
      ->check(CLI::PositiveNumber);
  command->add_option("--solver", request.solver,
                      "iterations of cg, bicgstab, gmres[:m], chebyshev, jacobi or power instead of products");
  command->add_flag("--all", options->all, "every scheme, format and model in the table");
  add_page_option(*command, options->page);
  command->callback([options, &globals] { predict(*options, globals); });
}

void add_script_options(CLI::App& cluster, const Globals& globals) {
  auto options = std::make_shared<ClusterArguments>();
  ClusterScriptRequest& request = options->request;
  request.predict.model = "sparsecast";
  CLI::App* command = cluster.add_subcommand("script", "the job script of the recommended scheme");
  add_choice(*command, *options);
  command->add_option("--scheduler", request.scheduler, "slurm or mpirun")
      ->capture_default_str()
      ->check(CLI::IsMember({"slurm", "mpirun"}));
  command->add_option("--launcher", request.launcher, "launcher in the script (default: srun or mpirun)");
  command->add_option("--iterations", request.iterations, "iterations per timed batch")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command->add_option(
      "--solver", request.program,
      "also write a program of your own on this partition to a folder: sparsecast_mpi.hpp, a solver that "
      "uses it, parts.txt (scheme l1dr)");
  command->add_option("--time", request.time_limit, "Slurm's time limit")->capture_default_str();
  command->callback([options, &globals] { script(*options, globals); });
}

void add_measure_options(CLI::App& cluster, const Globals& globals) {
  auto options = std::make_shared<ClusterMeasureArguments>();
  ClusterMeasureRequest& request = options->request;
  CLI::App* command = cluster.add_subcommand("measure", "run the iteration on P processes, checked against one");
  command->add_option("matrix", options->matrix, "matrix file, or ss:GROUP/NAME")->required();
  command->add_option("--processes,-n", request.processes, "process counts, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  options->cases.add_options(*command);
  command->add_option("--iterations", request.iterations, "iterations per timed batch")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--seed", request.seed, "of the random permutation of 2du")->capture_default_str();
  command->add_option("--launcher", request.launcher, "launcher and its options")->capture_default_str();
  command->add_option("--rank-threads", request.rank_threads, "threads of each process, which multiply its block")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_option("--platform", request.platform,
                      "simulate on this SimGrid platform file: local products timed here, messages simulated");
  command->add_option("--patience", request.patience_s, "seconds without a sign of life after which the run is ended")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--budget", request.budget_s, "seconds of measuring per case")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--scratch", request.scratch, "folder for the job, seen by the first node");
  command->add_flag("--neighbourhood", request.neighbourhood,
                    "l1dr by one neighbourhood collective a step instead of messages");
  command->add_flag("--no-check", options->unchecked,
                    "do not compare with one process: 2du then never holds the matrix in one place");
  add_page_option(*command, options->page);
  command->callback([options, &globals] { measure(*options, globals); });
}

void add_calibrate_options(CLI::App& cluster, const Globals& globals) {
  auto request = std::make_shared<ClusterCalibrateRequest>();
  CLI::App* command =
      cluster.add_subcommand("calibrate", "measure messages, a node and training runs, once per cluster");
  command->add_option("--output,-o", request->output, "cluster profile to write")->required();
  command->add_option("--processes,-n", request->processes, "process counts, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->add_option("--launcher", request->launcher, "launcher and its options")->capture_default_str();
  command
      ->add_option("--rank-threads", request->rank_threads,
                   "threads of each process, in this profile and its forecasts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_option("--platform", request->platform, "simulate on this SimGrid platform file instead of measuring");
  command
      ->add_option("--cores-per-node", request->cores_per_node,
                   "processes that share a node (default: the cores of this machine)")
      ->check(CLI::Range(1, 4096));
  command->add_option("--name", request->name, "name of the cluster (default: the file's)");
  command->add_option("--patience", request->patience_s, "seconds without a sign of life after which a run is ended")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--scratch", request->scratch, "folder for the jobs, seen by the first node");
  command->add_flag("--resume", request->resume,
                    "go on with an interrupted calibration: keep what the output file holds");
  CLI::Option* const quick =
      command->add_flag("--quick", request->quick, "fewer training matrices, two minutes at most: a first look");
  command->add_flag("--full", request->full, "ninety training matrices and the regression's whole grid of parameters")
      ->excludes(quick);
  command->callback([request, &globals] { calibrate(*request, globals); });
}
}  // namespace

void add_cluster(CLI::App& root, const Globals& globals) {
  CLI::App* cluster =
      root.add_subcommand("cluster", "iterated products on MPI clusters: calibrate, predict, measure, script");
  cluster->require_subcommand(1);
  add_calibrate_options(*cluster, globals);
  add_predict_options(*cluster, globals);
  add_measure_options(*cluster, globals);
  add_script_options(*cluster, globals);
  // --json and the other global options may also stand behind the nested command.
  for (CLI::App* nested : cluster->get_subcommands({})) nested->fallthrough();
}
}  // namespace sparsecast::app
