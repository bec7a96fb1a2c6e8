#include "app/cluster_evaluate.hpp"

#include <sparsecast/answers/cluster.hpp>

#include "app/field_options.hpp"
#include "app/inputs.hpp"
#include "app/terminal/terminal.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "cluster/scheme/scheme.hpp"
#include "fields/answers/cluster.hpp"
#include "fields/json.hpp"

namespace sparsecast::app {
namespace {
struct ClusterEvaluateArguments {
  std::vector<std::string> paths;
  bool all = false;
  ClusterEvaluateRequest request;
};

// Mean error by scheme and format, a column a model: the last of the paper's tables, over all matrices and counts.
std::string mean_errors_text(const ClusterEvaluation& a) {
  std::vector<std::string> models;
  for (const ClusterModelErrors& e : a.summary)
    if (std::ranges::find(models, e.model) == models.end()) models.push_back(e.model);
  std::vector<std::string> head{"scheme", "format", "cases"};
  head.insert(head.end(), models.begin(), models.end());
  base::TextTable table(head);
  table.keys(2);
  for (const auto scheme : cluster::all_schemes())
    for (const auto format : cluster::all_formats()) {
      const auto of = [&](const ClusterModelErrors& e) { return e.scheme == scheme && e.format == format; };
      const auto first = std::ranges::find_if(a.summary, of);
      if (first == a.summary.end()) continue;
      std::vector<std::string> row{std::string(to_string(scheme)), std::string(to_string(format)),
                                   std::to_string(first->cases)};
      for (const std::string& model : models) {
        const auto one =
            std::ranges::find_if(a.summary, [&](const ClusterModelErrors& e) { return of(e) && e.model == model; });
        row.push_back(one == a.summary.end() ? "–" : base::format_percent(one->mean_error));
      }
      table.add(std::move(row));
    }
  return table.text(layout());
}

// One of the paper's tables II to IX: a scheme and a format by one model, matrix by matrix.
std::string error_table_text(const ClusterEvaluation& a, const ClusterModelErrors& of) {
  base::TextTable table({"matrix", "nodes", "processes", "actual", "predicted", "error"});
  for (const ClusterEvaluationCase& one : a.cases)
    if (one.scheme == of.scheme && one.format == of.format && one.model == of.model)
      table.add({one.matrix, std::to_string(one.nodes), std::to_string(one.processes),
                 base::format_seconds(one.measured_s),
                 base::format_seconds(one.seconds) + (one.extrapolated ? " *" : ""), base::format_percent(one.error)});
  return fmt::format("{} {} by {}: {} in the mean, {} at most, {} within the 90 % interval\n{}", to_string(of.scheme),
                     to_string(of.format), of.model, base::format_percent(of.mean_error),
                     base::format_percent(of.max_error), base::format_percent(of.coverage), table.text(layout()));
}

std::string cluster_evaluation_text(const ClusterEvaluation& a, bool all) {
  if (a.cases.empty()) return "nothing was judged\n";
  std::string text =
      fmt::format("Forecasts of {} compared with times ({}): mean of |actual − predicted| / actual\n\n{}",
                  a.cluster.name, a.source, mean_errors_text(a));
  if (all)
    for (const ClusterModelErrors& of : a.summary) text += "\n" + error_table_text(a, of);
  if (std::ranges::any_of(a.cases, &ClusterEvaluationCase::extrapolated))
    text += all ? "* extrapolated: not calibrated on this process count\n"
                : "Some forecasts are extrapolated to process counts that were not calibrated.\n";
  if (!a.skipped.empty())
    text += fmt::format("{} forecasts have no measured time and are not judged.\n", a.skipped.size());
  return text + (all ? "" : "--all shows every matrix and process count.\n");
}

void evaluate_cluster(const ClusterEvaluateArguments& options, const Globals& globals) {
  ProgressBar bar(globals);
  ClusterEvaluateRequest request = options.request;
  tell_globals(request, globals, &bar);
  for (const std::filesystem::path& file : matrix_files(options.paths, globals)) request.matrices.emplace_back(file);
  const ClusterEvaluation answer = cluster_evaluate(request);
  bar.clear();
  globals.json ? print_json("cluster-evaluate", fields::written(answer))
               : print(cluster_evaluation_text(answer, options.all));
}
}  // namespace

void add_cluster_evaluate(CLI::App& cluster, const Globals& globals) {
  using Q = ClusterEvaluateRequest;
  auto options = std::make_shared<ClusterEvaluateArguments>();
  CLI::App* command =
      cluster.add_subcommand("evaluate", "compare every model's forecasts with measured times, matrix by matrix");
  FieldOptions add(*command, options->request);
  add.positional<&Q::matrices>("PATH", options->paths)->required();
  add.option<&Q::profile>("--cluster")->required();
  add.option<&Q::processes>("--processes,-n")->check(CLI::Range(1, 65536));
  add.option<&Q::schemes>("--way,--scheme");
  add.option<&Q::formats>("--format");
  add.options<&Q::model, &Q::full>();
  add.option<&Q::iterations>()->check(CLI::Range(1, 1'000'000));
  add.options<&Q::seed, &Q::launcher, &Q::platform>();
  add.option<&Q::patience_s>("--patience")->check(CLI::PositiveNumber);
  add.option<&Q::budget_s>("--budget")->check(CLI::PositiveNumber);
  add.option<&Q::scratch>();
  command->add_flag("--all", options->all,
                    "show every matrix and process count, in a table for each scheme, format and model");
  command->callback([options, &globals] { evaluate_cluster(*options, globals); });
}
}  // namespace sparsecast::app
