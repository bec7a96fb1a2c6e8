// sparsecast cluster: iterated products on MPI clusters.

#include <sparsecast/answers/cluster.hpp>

#include "app/cluster_evaluate.hpp"
#include "app/field_options.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/terminal/terminal.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "cluster/models/choice.hpp"
#include "cluster/models/scaling_picture.hpp"
#include "cluster/scheme/scheme.hpp"
#include "fields/answers/cluster.hpp"
#include "fields/json.hpp"
#include "forecast/model_names.hpp"

namespace sparsecast::app {
namespace {
using cluster::ClusterForecast, cluster::ScalingPoint;

constexpr std::size_t rows_shown = 6;

// The best of every count, and where that leaves room what comes next on the recommended one; by count, then time.
std::vector<ClusterForecast> shown_rows(const ClusterPrediction& a, bool all) {
  if (all) return a.forecasts;
  const std::vector<ClusterForecast> forecasts = of_first_model(a.forecasts);
  std::vector<ClusterForecast> rows = best_by_count(forecasts);
  const int recommended = a.recommended.place.processes;
  // Of more counts than fit those around the recommended one.
  while (rows.size() > rows_shown) {
    const auto far = [&](const ClusterForecast& f) { return std::abs(std::log2(1.0 * f.processes / recommended)); };
    rows.erase(far(rows.front()) > far(rows.back()) ? rows.begin() : rows.end() - 1);
  }
  std::vector<ClusterForecast> others;
  for (const ClusterForecast& f : forecasts)
    if (f.processes == recommended &&
        (f.scheme != a.recommended.place.scheme || f.format != a.recommended.place.format))
      others.push_back(f);
  std::ranges::stable_sort(others, {}, &ClusterForecast::seconds);
  for (std::size_t k = 0; k < others.size() && rows.size() < rows_shown; ++k) rows.push_back(others[k]);
  std::ranges::stable_sort(rows, {}, [](const ClusterForecast& f) { return std::pair(f.processes, f.seconds); });
  return rows;
}

std::string table_text(const ClusterPrediction& a, bool all) {
  std::vector<std::string> head{"scheme", "processes", "nodes", "time", "from", "to", "products", "messages"};
  if (all) head.emplace_back("model");
  base::TextTable table(head);
  table.keys(2);
  for (const ClusterForecast& f : shown_rows(a, all)) {
    const bool parts = f.core_s > 0 || f.communication_s > 0;
    std::vector<std::string> row{fmt::format("{} {}", to_string(f.scheme), to_string(f.format)),
                                 std::to_string(f.processes),
                                 std::to_string(f.nodes),
                                 base::format_seconds(f.seconds) + (f.extrapolated ? " *" : ""),
                                 base::format_seconds(f.low_s),
                                 base::format_seconds(f.high_s),
                                 parts ? base::format_seconds(f.core_s) : "–",
                                 parts ? base::format_seconds(f.communication_s) : "–"};
    if (all) row.push_back(f.model);
    table.add(std::move(row));
  }
  return table.text(layout());
}

std::string scaling_table_text(const ClusterPrediction& a) {
  base::TextTable scaling({"scheme", "format", "processes", "one iteration", "efficiency"});
  for (const ScalingPoint& p : a.scaling)
    scaling.add({std::string(to_string(p.scheme)), std::string(to_string(p.format)), std::to_string(p.processes),
                 base::format_seconds(p.seconds) + (p.extrapolated ? " *" : ""), base::format_percent(p.efficiency)});
  return scaling.text(layout());
}

constexpr const char* not_square = "The matrix is not square: an iteration is a product y = A·x with the same x.\n";

std::string place_text(const ClusterPlace& f) {
  return fmt::format("{} with {} on {} process{} of {} node{}", to_string(f.scheme), to_string(f.format), f.processes,
                     f.processes == 1 ? "" : "es", f.nodes, f.nodes == 1 ? "" : "s");
}

std::string cost_text(double iterations, double total_s, double node_hours) {
  return fmt::format("{} iterations take {} and {:.3g} node hours",
                     base::format_count(static_cast<std::int64_t>(iterations)), base::format_seconds(total_s),
                     node_hours);
}

std::string within_text(const ClusterPrediction& a) {
  const ClusterWithin& w = *a.within;
  if (w.choice)
    return fmt::format("Within {}: {}; {}.\n", base::format_seconds(w.asked_s), place_text(*w.choice),
                       cost_text(a.iterations, *w.total_s, *w.node_hours));
  return fmt::format("None of these counts finishes within {}; the fastest, {}, takes {} for {} iterations.\n",
                     base::format_seconds(w.asked_s), place_text(a.fastest),
                     base::format_seconds(a.fastest.seconds * a.iterations),
                     base::format_count(static_cast<std::int64_t>(a.iterations)));
}

// Of two processes: in which state their cores are, and what the recommended form takes in either.
std::string states_text(const ClusterPrediction& a, bool all) {
  for (const ClusterForecast& f : shown_rows(a, all)) {
    if (f.states.size() != 2) continue;
    const cluster::StateForecast &common = f.states[0], &apart = f.states[1];
    return fmt::format(
        "{}2 processes, {} {}: {} where their cores have a cache in common ({} a hand-over), {} where "
        "they are apart ({}).\n",
        a.handover_s ? fmt::format("Two cores hand over a cache line in {} now. ", base::format_seconds(*a.handover_s))
                     : "",
        to_string(f.scheme), to_string(f.format), base::format_seconds(common.seconds),
        base::format_seconds(common.handover_s), base::format_seconds(apart.seconds),
        base::format_seconds(apart.handover_s));
  }
  return {};
}

// A screen of it; with `all` every forecast.
std::string cluster_prediction_text(const ClusterPrediction& a, bool all) {
  const ClusterPlace& best = a.recommended.place;
  constexpr int picture_height = 8;
  std::string text =
      fmt::format("{}: {} rows, {} non-zeros, on {} ({}, {}){}\n\n{}", a.matrix.name, base::format_count(a.matrix.rows),
                  base::format_count(a.matrix.nonzeros), a.cluster.name, a.cluster.source, to_string(best.tier),
                  a.solver.empty() ? "" : ", iterations of " + a.solver, table_text(a, all));
  if (std::ranges::any_of(shown_rows(a, all), &ClusterForecast::extrapolated))
    text += a.cluster.source == "described" ? "* extrapolated: what so few ranks draw of a node's memory is not known\n"
                                            : "* extrapolated: not calibrated on this process count\n";
  text += states_text(a, all);
  if (!a.square) text += not_square;
  if (all) text += "\n" + scaling_table_text(a);
  if (const std::string picture = scaling_picture(a.scaling, picture_height); !picture.empty()) text += "\n" + picture;
  text += fmt::format("\nRecommended: {}, {} per iteration: {}.\n", place_text(best),
                      base::format_seconds(best.seconds), a.recommended.reason);
  text += cost_text(a.iterations, best.seconds * a.iterations, a.recommended.node_hours.value_or(0));
  if (!a.scaling_end.text.empty()) text += "; " + a.scaling_end.text;
  text += ".\n";
  if (a.within) text += within_text(a);
  if (!all) text += "--all shows every forecast.\n";
  return text;
}

struct ClusterArguments {
  std::string matrix, page;
  ClusterScriptRequest request;  ///< of predict its first part
  bool all = false;
};

// What predict and script share.
void add_choice(CLI::App& command, ClusterArguments& options) {
  using Q = ClusterPredictRequest;
  FieldOptions add(command, options.request.predict);
  command.add_option("matrix", options.matrix, "matrix file, or ss:GROUP/NAME");
  add.options<&Q::structure, &Q::size>();
  add.option<&Q::profile>("--cluster");
  add.options<&Q::node, &Q::network, &Q::machine>();
  add.option<&Q::nodes>();
  add.option<&Q::ranks_per_node>()->check(CLI::Range(1, 4096));
  add.option<&Q::rank_threads>();
  add.option<&Q::processes>("--processes,-n");
  add.option<&Q::schemes>("--way,--scheme");
  add.option<&Q::formats>("--format");
  add.options<&Q::model, &Q::full, &Q::seed>();
  add.option<&Q::caches>()->check(CLI::IsMember({"common", "apart"}));
}

ClusterPredictRequest request_of(const ClusterArguments& options, const Globals& globals, ProgressBar& bar) {
  ClusterPredictRequest request = options.request.predict;
  if (options.matrix.empty() == request.structure.empty())
    throw Error(ErrorCode::usage,
                options.matrix.empty() ? "neither a matrix nor a structure is named"
                                       : "a matrix and a structure are both named",
                {}, "give MATRIX, or --structure NAME --size N");
  request.matrix = std::filesystem::path(options.matrix);
  tell_globals(request, globals, &bar);
  return request;
}

void predict(const ClusterArguments& options, const Globals& globals) {
  ProgressBar bar(globals);
  const ClusterPrediction answer = cluster_predict(request_of(options, globals, bar));
  bar.clear();
  Page(options.page, globals)
      .write("Forecast of " + answer.matrix.name + " on " + answer.cluster.name, "cluster-predict",
             fields::written(answer));
  globals.json ? print_json("cluster-predict", fields::written(answer))
               : print(cluster_prediction_text(answer, options.all));
}

// What all iterations take, which is what a limit is of.
std::string advised_total_text(const ClusterAdvice& a, double within_s) {
  if (within_s <= 0 && a.iterations == 1) return {};
  return fmt::format("{} iteration{} {} {}{}.\n", base::format_count(static_cast<std::int64_t>(a.iterations)),
                     a.iterations == 1 ? "" : "s", a.iterations == 1 ? "takes" : "take",
                     base::format_seconds(a.seconds * a.iterations),
                     within_s > 0 ? fmt::format(" of the {} allowed", base::format_seconds(within_s)) : "");
}

std::string advice_text(const ClusterAdvice& a, double within_s) {
  const ClusterPlace place{a.scheme, a.format, a.processes, a.nodes, a.seconds, a.low_s, a.high_s, {}, a.extrapolated};
  return fmt::format("{}{}{}; {} per iteration{}{}.\n{}{}\n    {} PROGRAM\n{}",
                     a.possible ? "" : "None of these counts finishes in that time; the fastest: ", place_text(place),
                     a.threads == 1 ? "" : fmt::format(", {} threads each", a.threads), base::format_seconds(a.seconds),
                     a.solver.empty() ? "" : " of " + a.solver,
                     a.extrapolated ? fmt::format(", extrapolated: {} to {}", base::format_seconds(a.low_s),
                                                  base::format_seconds(a.high_s))
                                    : "",
                     advised_total_text(a, within_s), a.square ? "" : not_square, a.launch,
                     a.petsc_options.empty() ? "" : fmt::format("\nA PETSc program takes {}\n", a.petsc_options));
}

void advise(const ClusterArguments& options, const Globals& globals) {
  ProgressBar bar(globals);
  const ClusterAdvice answer = cluster_advise(request_of(options, globals, bar));
  bar.clear();
  globals.json ? print_json("cluster-advise", fields::written(answer))
               : print(advice_text(answer, options.request.predict.within_s));
}

void script(const ClusterArguments& options, const Globals& globals) {
  ProgressBar bar(globals);
  ClusterScriptRequest request = options.request;
  request.predict = request_of(options, globals, bar);
  const ClusterScript answer = cluster_script(request);
  bar.clear();
  globals.json ? print_json("cluster-script", fields::written(answer)) : print_data(answer.script);
}

struct ClusterMeasureArguments {
  std::string matrix, page;
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
  return table.text(layout()) + (answer.square ? "" : not_square);
}

void measure(const ClusterMeasureArguments& options, const Globals& globals) {
  ProgressBar bar(globals);
  ClusterMeasureRequest request = options.request;
  request.matrix = std::filesystem::path(options.matrix);
  request.check = !options.unchecked;
  tell_globals(request, globals, &bar);
  const ClusterTimes answer = cluster_measure(request);
  bar.clear();
  Page(options.page, globals)
      .write("Iterated products of " + answer.matrix, "cluster-measure", fields::written(answer));
  globals.json ? print_json("cluster-measure", fields::written(answer)) : print(times_text(answer));
}

void calibrate(const ClusterCalibrateRequest& options, const Globals& globals) {
  ProgressBar bar(globals);
  ClusterCalibrateRequest request = options;
  tell_globals(request, globals, &bar);
  const ClusterCalibration answer = cluster_calibrate(request);
  bar.clear();
  if (globals.json) return print_json("cluster-calibrate", fields::written(answer));
  print(fmt::format("{}: {} message times, {} timed blocks, {} training runs ({})\n", answer.file, answer.message_times,
                    answer.timed_blocks, answer.training_runs, answer.source));
}

void add_predict_options(CLI::App& cluster, const Globals& globals) {
  auto options = std::make_shared<ClusterArguments>();
  CLI::App* command =
      cluster.add_subcommand("predict", "forecast every scheme on every process count, and recommend one");
  add_choice(*command, *options);
  FieldOptions add(*command, options->request.predict);
  add.option<&ClusterPredictRequest::iterations>();
  add.option<&ClusterPredictRequest::within_s>("--within")->check(CLI::PositiveNumber);
  add.options<&ClusterPredictRequest::solver, &ClusterPredictRequest::preconditioner,
              &ClusterPredictRequest::petsc_matrix>();
  command->add_flag("--all", options->all, "show every scheme, format and model in the table");
  add_page_option(*command, options->page);
  command->callback([options, &globals] { predict(*options, globals); });
}

void add_advise_options(CLI::App& cluster, const Globals& globals) {
  auto options = std::make_shared<ClusterArguments>();
  options->request.predict.iterations = 1;
  options->request.predict.model = forecast::own_model;
  CLI::App* command =
      cluster.add_subcommand("advise", "find the fewest nodes that finish in time, and how to start the job there");
  add_choice(*command, *options);
  FieldOptions add(*command, options->request.predict);
  add.option<&ClusterPredictRequest::iterations>();
  add.option<&ClusterPredictRequest::within_s>("--within")->check(CLI::PositiveNumber);
  add.options<&ClusterPredictRequest::solver, &ClusterPredictRequest::preconditioner,
              &ClusterPredictRequest::petsc_matrix>();
  command->callback([options, &globals] { advise(*options, globals); });
}

void add_script_options(CLI::App& cluster, const Globals& globals) {
  using Q = ClusterScriptRequest;
  auto options = std::make_shared<ClusterArguments>();
  options->request.predict.model = forecast::own_model;
  CLI::App* command = cluster.add_subcommand("script", "write the job script of the recommended scheme");
  add_choice(*command, *options);
  FieldOptions add(*command, options->request);
  add.option<&Q::scheduler>()->check(CLI::IsMember({"slurm", "mpirun"}));
  add.option<&Q::launcher>();
  add.option<&Q::iterations>();
  add.option<&Q::program>("--solver");
  add.option<&Q::time_limit>("--time");
  command->callback([options, &globals] { script(*options, globals); });
}

void add_measure_options(CLI::App& cluster, const Globals& globals) {
  using Q = ClusterMeasureRequest;
  auto options = std::make_shared<ClusterMeasureArguments>();
  CLI::App* command = cluster.add_subcommand("measure", "run the iteration on P processes, checked against one");
  command->add_option("matrix", options->matrix, "matrix file, or ss:GROUP/NAME")->required();
  FieldOptions add(*command, options->request);
  add.option<&Q::processes>("--processes,-n");
  add.option<&Q::schemes>("--way,--scheme");
  add.option<&Q::formats>("--format");
  add.option<&Q::iterations>();
  add.options<&Q::seed, &Q::launcher>();
  add.option<&Q::rank_threads>();
  add.option<&Q::platform>();
  add.option<&Q::patience_s>("--patience");
  add.option<&Q::budget_s>("--budget");
  add.option<&Q::scratch>();
  command->add_flag("--no-check", options->unchecked,
                    "do not compare with one process: 2du then never holds the whole matrix in one place");
  add_page_option(*command, options->page);
  command->callback([options, &globals] { measure(*options, globals); });
}

void add_calibrate_options(CLI::App& cluster, const Globals& globals) {
  using Q = ClusterCalibrateRequest;
  auto request = std::make_shared<Q>();
  CLI::App* command =
      cluster.add_subcommand("calibrate", "measure messages, a node and training runs, once per cluster");
  FieldOptions add(*command, *request);
  add.option<&Q::output>("--output,-o")->required();
  add.option<&Q::processes>("--processes,-n");
  add.option<&Q::launcher>();
  add.option<&Q::rank_threads>();
  add.option<&Q::platform>();
  add.option<&Q::cores_per_node>()->check(CLI::Range(1, 4096));
  add.option<&Q::name>();
  add.option<&Q::patience_s>("--patience");
  add.options<&Q::scratch, &Q::resume>();
  CLI::Option* const quick = add.option<&Q::quick>();
  add.option<&Q::full>()->excludes(quick);
  command->callback([request, &globals] { calibrate(*request, globals); });
}

std::string hpcg_text(const ClusterHpcg& a) {
  if (!a.reason.empty()) return fmt::format("{}: no forecast, {}\n", a.name, a.reason);
  constexpr double tera = 1e12;
  return fmt::format(
      "{}: {:.4g} Tflop/s in HPCG, {:.4g} to {:.4g}\n{} nodes of {} × {}{}{}; limited by {}, at {} of its "
      "{}/s; sums over all nodes take {} of an iteration.\nLearned from {} other systems that have it{}.\n",
      a.name, *a.rate / tera, *a.low / tera, *a.high / tera,
      a.whole ? fmt::format("{:.6g}", a.nodes) : fmt::format("about {:.0f}", a.nodes), a.sockets, a.processor,
      a.accelerators > 0 ? fmt::format(" and {} × {}", a.accelerators, a.accelerator) : "",
      a.network.empty() ? ", its network not in the catalogue" : " over " + a.network, a.decides,
      base::format_percent(a.share_of_bandwidth), base::format_bytes(a.memory_bandwidth),
      base::format_percent(a.sums_s / (a.sums_s + a.sweep_s)), a.alike,
      a.extrapolated ? ", none of which has so many nodes: extrapolated" : "");
}

void hpcg(const ClusterHpcgRequest& request, const Globals& globals) {
  require_double(globals, "HPCG is");
  const ClusterHpcg answer = cluster_hpcg(request);
  globals.json ? print_json("cluster-hpcg", fields::written(answer)) : print(hpcg_text(answer));
}

void add_hpcg_options(CLI::App& cluster, const Globals& globals) {
  using Q = ClusterHpcgRequest;
  auto request = std::make_shared<Q>();
  CLI::App* command =
      cluster.add_subcommand("hpcg", "forecast a whole machine's HPCG rate from its entry in a list of supercomputers");
  FieldOptions add(*command, *request);
  add.option<&Q::computer>("computer")->required();
  add.option<&Q::cores>()->required();
  command->callback([request, &globals] { hpcg(*request, globals); });
}
}  // namespace

void add_cluster(CLI::App& root, const Globals& globals) {
  CLI::App* cluster = root.add_subcommand(
      "cluster", "iterated products on MPI clusters: calibrate, predict, advise, measure, evaluate, script, hpcg");
  cluster->require_subcommand(1);
  add_calibrate_options(*cluster, globals);
  add_predict_options(*cluster, globals);
  add_advise_options(*cluster, globals);
  add_measure_options(*cluster, globals);
  add_cluster_evaluate(*cluster, globals);
  add_script_options(*cluster, globals);
  add_hpcg_options(*cluster, globals);
  // --json and the other global options may also stand behind the nested command.
  for (CLI::App* nested : cluster->get_subcommands({})) nested->fallthrough();
}
}  // namespace sparsecast::app
