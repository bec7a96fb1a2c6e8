// sparsecast cluster calibrate: measures a cluster once, into a cluster profile.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cluster.hpp"
#include "app/terminal/progress_bar.hpp"
#include "cluster/calibrate.hpp"

namespace sparsecast::app {
namespace {

using namespace cluster;

struct ClusterCalibrateArguments {
  CalibrateOptions calibrate;
  std::filesystem::path output;
  bool resume = false;
};

void calibrate(ClusterCalibrateArguments& options, const Globals& globals) {
  ProgressBar bar(globals);
  options.calibrate.progress = bar.function();
  if (options.calibrate.name.empty()) options.calibrate.name = options.output.stem().stem().string();
  if (options.resume && std::filesystem::exists(options.output))
    options.calibrate.begun = read_cluster_profile(options.output);
  // What was measured before a Ctrl-C is kept.
  options.calibrate.keep = [&](const ClusterProfile& profile) { write_cluster_profile(profile, options.output); };
  const ClusterProfile profile = calibrate_cluster(options.calibrate);
  if (!profile.complete)
    remark(globals, fmt::format("not all training runs were done within {:.0f} s; `--quick --resume` goes on, without "
                                "--quick there is no limit",
                                options.calibrate.limit_s));
  if (globals.json) {
    print_json("cluster-calibrate", {{"file", options.output.string()},
                                     {"name", profile.name},
                                     {"source", profile.source},
                                     {"complete", profile.complete},
                                     {"processes", options.calibrate.processes},
                                     {"message_times", profile.messages.size()},
                                     {"timed_blocks", profile.blocks.size()},
                                     {"training_runs", profile.runs.size()}});
    return;
  }
  print(fmt::format("{}: {} message times, {} timed blocks, {} training runs ({})\n", options.output.string(),
                    profile.messages.size(), profile.blocks.size(), profile.runs.size(), profile.source));
}

}  // namespace

void add_cluster_calibrate(CLI::App& cluster, const Globals& globals) {
  auto options = std::make_shared<ClusterCalibrateArguments>();
  CalibrateOptions& c = options->calibrate;
  CLI::App* command =
      cluster.add_subcommand("calibrate", "measure messages, a node and training runs, once per cluster");
  command->add_option("--output,-o", options->output, "cluster profile to write")->required();
  command->add_option("--processes,-n", c.processes, "process counts, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->add_option("--launcher", c.launch.launcher, "launcher and its options")->capture_default_str();
  command->add_option("--rank-threads", c.launch.threads, "threads of each process, in this profile and its forecasts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_option("--platform", c.launch.platform, "simulate on this SimGrid platform file instead of measuring");
  command
      ->add_option("--cores-per-node", c.cores_per_node,
                   "processes that share a node (default: the cores of this machine)")
      ->check(CLI::Range(1, 4096));
  command->add_option("--name", c.name, "name of the cluster (default: the file's)");
  command->add_option("--patience", c.launch.patience_s, "seconds without a sign of life after which a run is ended")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--scratch", c.scratch, "folder for the jobs, seen by the first node");
  command->add_flag("--resume", options->resume,
                    "go on with an interrupted calibration: keep what the output file holds");
  CLI::Option* const quick =
      command->add_flag("--quick", c.quick, "fewer training matrices, two minutes at most: a first look");
  command->add_flag("--full", c.full, "ninety training matrices and the regression's whole grid of parameters")
      ->excludes(quick);
  command->callback([options, &globals] { calibrate(*options, globals); });
}

}  // namespace sparsecast::app
