// sparsecast cluster predict and script: the scheme, the format and the number of processes that finish first.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cluster.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/terminal/progress_bar.hpp"
#include "app/terminal/terminal.hpp"
#include "base/text.hpp"
#include "cluster/launch/job_script.hpp"
#include "cluster/models/choice.hpp"
#include "cluster/models/forecast.hpp"
#include "solve/forecast/on_cluster.hpp"

namespace sparsecast::app {
namespace {

using namespace cluster;
using nlohmann::ordered_json;

struct ClusterPredictArguments {
  std::string matrix, profile, page, solver;
  std::vector<std::string> schemes{"2du", "g1dr", "l1dr"}, formats = cluster::format_names();
  PredictOptions predict;
  ScriptOptions script;
};

// What predict and script share.
void add_choice(CLI::App& command, ClusterPredictArguments& options) {
  command.add_option("matrix", options.matrix, "matrix file, or ss:GROUP/NAME")->required();
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
  command.add_option("--solver", options.solver,
                     "iterations of cg, bicgstab, gmres[:m], chebyshev, jacobi or power instead of products");
  command.add_option("--seed", options.predict.seed, "of the random permutation of 2du")->capture_default_str();
}

struct Answer {
  Matrix matrix;
  ClusterProfile profile;
  Prediction prediction;
  ClusterChoice choice;
  std::string solver;                    // empty: products
  std::vector<solve::ClusterWork> work;  // of each forecast, beside its products
};

Answer answer(ClusterPredictArguments& options, const Globals& globals) {
  ProgressBar bar(globals);
  options.predict.progress = bar.function();
  options.predict.schemes.clear();
  options.predict.formats.clear();
  for (const std::string& scheme : options.schemes) options.predict.schemes.push_back(parse_scheme(scheme));
  for (const std::string& format : options.formats) options.predict.formats.push_back(parse_format(format));
  Answer out{{}, read_cluster_profile(options.profile), {}, {}, options.solver, {}};
  out.matrix = read_input(matrix_file(options.matrix, globals), globals);
  out.prediction = predict_cluster(out.matrix, out.profile, options.predict);
  if (!out.prediction.missing.empty()) remark(globals, out.prediction.missing);
  if (!options.solver.empty()) {
    const solve::Method method = solve::parse_method(options.solver);
    out.solver = method.name();
    out.work =
        solve::add_solver(out.prediction.forecasts, out.profile, out.matrix.rows(), method,
                          method.info->preconditions ? solve::Preconditioning::diagonal : solve::Preconditioning::none);
  }
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

ordered_json document_of(const Answer& a) {
  const ClusterForecast& best = a.choice.recommended;
  ordered_json document{
      {"matrix",
       {{"name", a.matrix.name()},
        {"rows", a.matrix.rows()},
        {"cols", a.matrix.cols()},
        {"nonzeros", a.matrix.nonzeros()}}},
      {"cluster",
       {{"name", a.profile.name}, {"source", a.profile.source}, {"cores_per_node", a.profile.cores_per_node}}},
      {"forecasts", ordered_json::array()}};
  if (!a.solver.empty()) document["solver"] = a.solver;
  for (std::size_t i = 0; i < a.prediction.forecasts.size(); ++i) {
    document["forecasts"].push_back(to_json(a.prediction.forecasts[i]));
    if (a.work.empty()) continue;
    document["forecasts"].back()["vectors_s"] = a.work[i].vectors_s;
    document["forecasts"].back()["reductions_s"] = a.work[i].reductions_s;
  }
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
  return document;
}

void predict(ClusterPredictArguments& options, const Globals& globals) {
  const Answer a = answer(options, globals);
  const ClusterForecast& best = a.choice.recommended;
  Page page(options.page, globals);
  if (page.wanted())
    page.write("Forecast of " + a.matrix.name() + " on " + a.profile.name, "cluster-predict", document_of(a));
  if (globals.json) return print_json("cluster-predict", document_of(a));
  base::TextTable table(
      {"scheme", "format", "processes", "nodes", "model", "one iteration", "in products", "in messages", ""});
  table.keys(3);
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
      a.profile.source, table.text(layout()), scaling.text(layout()), scaling_picture(a.choice.scaling),
      to_string(best.scheme), to_string(best.format), best.processes, base::format_seconds(best.seconds),
      a.choice.reason));
}

void script(ClusterPredictArguments& options, const Globals& globals) {
  const Answer a = answer(options, globals);
  options.script.matrix = std::filesystem::absolute(matrix_file(options.matrix, globals));
  options.script.cores_per_node = a.profile.cores_per_node;
  const std::string text = job_script(a.choice.recommended, options.script);
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
  add_choice(*command, *options);
  add_page_option(*command, options->page);
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
