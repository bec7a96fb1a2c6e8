// sparsecast cluster predict and script: the scheme, the format and the number of processes that finish first.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <sparsecast/read.hpp>

#include "app/cluster.hpp"
#include "app/inputs.hpp"
#include "app/progress_bar.hpp"
#include "base/text.hpp"
#include "cluster/launch/job_script.hpp"
#include "cluster/models/choice.hpp"
#include "cluster/models/forecast.hpp"

namespace sparsecast::app {
namespace {

using namespace cluster;
using nlohmann::ordered_json;

struct ClusterPredictArguments {
  std::string matrix, profile;
  std::vector<std::string> schemes{"2du", "g1dr", "l1dr"}, formats = cluster::format_names();
  PredictOptions predict;
  ScriptOptions script;
};

// What predict and script share.
void add_choice(CLI::App& command, ClusterPredictArguments& options) {
  command.add_option("matrix", options.matrix, "matrix file")->required();
  command.add_option("--cluster", options.profile, "cluster profile, from `cluster calibrate`")->required();
  command.add_option("--processes,-n", options.predict.processes, "process counts to choose from, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536))
      ->required();
  command.add_option("--way,--scheme", options.schemes, "2du, g1dr, l1dr (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember({"2du", "g1dr", "l1dr"}));
  command.add_option("--format", options.formats, "csr, coo (default: both)")
      ->delimiter(',')
      ->check(CLI::IsMember(cluster::format_names()));
  command.add_option("--model", options.predict.model, "sparsecast, microbench, svr, linear or all")
      ->capture_default_str();
  command.add_option("--seed", options.predict.seed, "of the random permutation of 2du")->capture_default_str();
}

struct Answer {
  Matrix matrix;
  ClusterProfile profile;
  Prediction prediction;
  ClusterChoice choice;
};

Answer answer(ClusterPredictArguments& options, const Globals& globals) {
  ProgressBar bar(globals);
  options.predict.progress = bar.function();
  options.predict.schemes.clear();
  options.predict.formats.clear();
  for (const std::string& scheme : options.schemes) options.predict.schemes.push_back(parse_scheme(scheme));
  for (const std::string& format : options.formats) options.predict.formats.push_back(parse_format(format));
  Answer out{{}, read_cluster_profile(options.profile), {}, {}};
  out.matrix = input_matrix(options.matrix);
  out.prediction = predict_cluster(out.matrix, out.profile, options.predict);
  if (!out.prediction.missing.empty()) remark(globals, out.prediction.missing);
  out.choice = choose(out.prediction.forecasts);
  return out;
}

ordered_json to_json(const ClusterForecast& f) {
  return {{"way", to_string(f.scheme)},
          {"format", to_string(f.format)},
          {"model", f.model},
          {"processes", f.processes},
          {"nodes", f.nodes},
          {"seconds", f.seconds},
          {"core_s", f.core_s},
          {"communication_s", f.communication_s},
          {"extrapolated", f.extrapolated}};
}

ordered_json short_json(const ClusterForecast& f) {
  return {{"way", to_string(f.scheme)},
          {"format", to_string(f.format)},
          {"processes", f.processes},
          {"nodes", f.nodes},
          {"seconds", f.seconds}};
}

void predict(ClusterPredictArguments& options, const Globals& globals) {
  const Answer a = answer(options, globals);
  const ClusterForecast& best = a.choice.recommended;
  if (globals.json) {
    ordered_json document{
        {"matrix",
         {{"name", a.matrix.name()},
          {"rows", a.matrix.rows()},
          {"cols", a.matrix.cols()},
          {"nonzeros", a.matrix.nonzeros()}}},
        {"cluster",
         {{"name", a.profile.name}, {"source", a.profile.source}, {"cores_per_node", a.profile.cores_per_node}}},
        {"forecasts", ordered_json::array()}};
    for (const ClusterForecast& f : a.prediction.forecasts) document["forecasts"].push_back(to_json(f));
    document["recommended"] = short_json(best);
    document["recommended"]["reason"] = a.choice.reason;
    document["fastest"] = short_json(a.choice.fastest);
    document["scaling"] = ordered_json::array();
    for (const ScalingPoint& p : a.choice.scaling)
      document["scaling"].push_back({{"way", to_string(p.scheme)},
                                     {"format", to_string(p.format)},
                                     {"processes", p.processes},
                                     {"seconds", p.seconds},
                                     {"efficiency", p.efficiency}});
    print_json("cluster-predict", document);
    return;
  }
  base::TextTable table(
      {"scheme", "format", "processes", "nodes", "model", "one iteration", "in products", "in messages", ""});
  for (const ClusterForecast& f : a.prediction.forecasts) {
    const bool parts = f.core_s > 0 || f.communication_s > 0;
    table.add({std::string(to_string(f.scheme)), std::string(to_string(f.format)), std::to_string(f.processes),
               std::to_string(f.nodes), f.model, base::format_seconds(f.seconds),
               parts ? base::format_seconds(f.core_s) : "–", parts ? base::format_seconds(f.communication_s) : "–",
               f.extrapolated ? "extrapolated" : ""});
  }
  base::TextTable scaling({"scheme", "format", "processes", "one iteration", "efficiency"});
  for (const ScalingPoint& p : a.choice.scaling)
    scaling.add({std::string(to_string(p.scheme)), std::string(to_string(p.format)), std::to_string(p.processes),
                 base::format_seconds(p.seconds), base::format_percent(p.efficiency)});
  print(fmt::format(
      "{}: {} rows, {} non-zeros, on {} ({})\n\n{}\n{}\n{}\nRecommended: {} with {} on {} processes, {} per iteration: "
      "{}.\n",
      a.matrix.name(), base::format_count(a.matrix.rows()), base::format_count(a.matrix.nonzeros()), a.profile.name,
      a.profile.source, table.text(), scaling.text(), scaling_picture(a.choice.scaling), to_string(best.scheme),
      to_string(best.format), best.processes, base::format_seconds(best.seconds), a.choice.reason));
}

void script(ClusterPredictArguments& options, const Globals& globals) {
  const Answer a = answer(options, globals);
  options.script.matrix = std::filesystem::absolute(options.matrix);
  options.script.cores_per_node = a.profile.cores_per_node;
  const std::string text = job_script(a.choice.recommended, options.script);
  if (!globals.json) {
    print(text);
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
  add_choice(*command, *options);
  command->callback([options, &globals] { predict(*options, globals); });
}

void add_cluster_script(CLI::App& cluster, const Globals& globals) {
  auto options = std::make_shared<ClusterPredictArguments>();
  options->predict.model = "sparsecast";
  CLI::App* command = cluster.add_subcommand("script", "the job script of the recommended scheme");
  add_choice(*command, *options);
  command->add_option("--scheduler", options->script.scheduler, "slurm or mpirun")
      ->capture_default_str()
      ->check(CLI::IsMember({"slurm", "mpirun"}));
  command->add_option("--launcher", options->script.launcher, "launcher in the script (default: srun or mpirun)");
  command->add_option("--iterations", options->script.iterations, "iterations per timed batch")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--time", options->script.time_limit, "Slurm's time limit")->capture_default_str();
  command->callback([options, &globals] { script(*options, globals); });
}

}  // namespace sparsecast::app
