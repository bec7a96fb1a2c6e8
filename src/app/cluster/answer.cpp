#include "app/cluster/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "app/inputs.hpp"
#include "app/terminal/progress_bar.hpp"
#include "app/terminal/terminal.hpp"
#include "base/text.hpp"
#include "cluster/described/described_cluster.hpp"
#include "cluster/scheme/one_product.hpp"

namespace sparsecast::app {
namespace {

using namespace cluster;
using nlohmann::ordered_json;

constexpr std::size_t rows_shown = 6;

void ask_described(ClusterQuestion& question, ClusterAnswer& out) {
  DescribedCluster described{load_machine(question.node, {}), network_of(question.network), question.ranks_per_node,
                             question.rank_threads};
  out.cluster = described.name();
  out.source = "described";
  out.cores_per_node = described.ranks();
  out.rank_threads = described.threads;
  if (question.predict.processes.empty()) {
    if (question.nodes.empty()) question.nodes = {1, 2, 4, 8, 16};
    for (const int nodes : question.nodes) {
      if (nodes > most_processes / out.cores_per_node)
        throw Error(ErrorCode::usage, fmt::format("{} nodes of {} processes are more than {} processes", nodes,
                                                  out.cores_per_node, most_processes));
      question.predict.processes.push_back(nodes * out.cores_per_node);
    }
  }
  out.prediction = predict_described(out.matrix, described, question.predict);
}

// Iterations of the solver in place of products.
void ask_solver(const std::string& solver, const ClusterProfile& profile, ClusterAnswer& out) {
  const solve::Method method = solve::parse_method(solver);
  out.solver = method.name();
  out.work =
      solve::add_solver(out.prediction.forecasts, profile, out.matrix.rows(), method,
                        method.info->preconditions ? solve::Preconditioning::diagonal : solve::Preconditioning::none);
}

void ask_measured(ClusterQuestion& question, ClusterAnswer& out, const Globals& globals) {
  const ClusterProfile profile = read_cluster_profile(question.profile);
  out.cluster = profile.name;
  out.source = profile.source;
  out.cores_per_node = profile.cores_per_node;
  out.rank_threads = profile.threads;
  out.complete = profile.complete;
  if (!profile.complete)
    remark(globals,
           fmt::format("warning: the calibration in {} did not get to its end ({} training runs): forecasts and their "
                       "intervals rest on what there is; `sparsecast cluster calibrate --resume -o {}` goes on",
                       question.profile, profile.runs.size(), question.profile));
  if (question.predict.processes.empty()) question.predict.processes = trained_counts(profile);
  out.prediction = predict_cluster(out.matrix, profile, question.predict);
  if (!question.solver.empty()) ask_solver(question.solver, profile, out);
}

ordered_json forecast_json(const ClusterForecast& f) {
  return {{"way", to_string(f.scheme)},
          {"format", to_string(f.format)},
          {"model", f.model},
          {"processes", f.processes},
          {"nodes", f.nodes},
          {"seconds", f.seconds},
          {"low_s", f.low_s},
          {"high_s", f.high_s},
          {"tier", f.tier},
          {"core_s", f.core_s},
          {"communication_s", f.communication_s},
          {"extrapolated", f.extrapolated}};
}

// The best of every count, and where that leaves room what comes next on the recommended one; by count, then time.
std::vector<ClusterForecast> shown_rows(const ClusterAnswer& a, bool all) {
  if (all) return a.prediction.forecasts;
  const std::vector<ClusterForecast> forecasts = of_first_model(a.prediction.forecasts);
  std::vector<ClusterForecast> rows = best_by_count(forecasts);
  const int recommended = a.choice.recommended.processes;
  // Of more counts than fit those around the recommended one.
  while (rows.size() > rows_shown) {
    const auto far = [&](const ClusterForecast& f) { return std::abs(std::log2(1.0 * f.processes / recommended)); };
    rows.erase(far(rows.front()) > far(rows.back()) ? rows.begin() : rows.end() - 1);
  }
  std::vector<ClusterForecast> others;
  for (const ClusterForecast& f : forecasts)
    if (f.processes == recommended &&
        (f.scheme != a.choice.recommended.scheme || f.format != a.choice.recommended.format))
      others.push_back(f);
  std::ranges::stable_sort(others, {}, &ClusterForecast::seconds);
  for (std::size_t k = 0; k < others.size() && rows.size() < rows_shown; ++k) rows.push_back(others[k]);
  std::ranges::stable_sort(rows, {}, [](const ClusterForecast& f) { return std::pair(f.processes, f.seconds); });
  return rows;
}

std::string table_text(const ClusterAnswer& a, const ClusterQuestion& question) {
  std::vector<std::string> head{"scheme", "processes", "nodes", "time", "from", "to", "products", "messages"};
  if (question.all) head.emplace_back("model");
  base::TextTable table(head);
  table.keys(2);
  for (const ClusterForecast& f : shown_rows(a, question.all)) {
    const bool parts = f.core_s > 0 || f.communication_s > 0;
    std::vector<std::string> row{fmt::format("{} {}", to_string(f.scheme), to_string(f.format)),
                                 std::to_string(f.processes),
                                 std::to_string(f.nodes),
                                 base::format_seconds(f.seconds) + (f.extrapolated ? " *" : ""),
                                 base::format_seconds(f.low_s),
                                 base::format_seconds(f.high_s),
                                 parts ? base::format_seconds(f.core_s) : "–",
                                 parts ? base::format_seconds(f.communication_s) : "–"};
    if (question.all) row.push_back(f.model);
    table.add(std::move(row));
  }
  return table.text(layout());
}

std::string scaling_table_text(const ClusterAnswer& a) {
  base::TextTable scaling({"scheme", "format", "processes", "one iteration", "efficiency"});
  for (const ScalingPoint& p : a.choice.scaling)
    scaling.add({std::string(to_string(p.scheme)), std::string(to_string(p.format)), std::to_string(p.processes),
                 base::format_seconds(p.seconds), base::format_percent(p.efficiency)});
  return scaling.text(layout());
}

std::string place_text(const ClusterForecast& f) {
  return fmt::format("{} with {} on {} process{} of {} node{}", to_string(f.scheme), to_string(f.format), f.processes,
                     f.processes == 1 ? "" : "es", f.nodes, f.nodes == 1 ? "" : "s");
}

std::string cost_text(const ClusterForecast& f, double iterations) {
  return fmt::format("{} iterations take {} and {:.3g} node hours",
                     base::format_count(static_cast<std::int64_t>(iterations)),
                     base::format_seconds(f.seconds * iterations), node_hours(f, iterations));
}

std::string within_text(const ClusterAnswer& a, const ClusterQuestion& q) {
  const std::vector<ClusterForecast> forecasts = of_first_model(a.prediction.forecasts);
  if (const auto found = done_within(forecasts, q.within_s, q.iterations))
    return fmt::format("Within {}: {}; {}.\n", base::format_seconds(q.within_s), place_text(*found),
                       cost_text(*found, q.iterations));
  return fmt::format("Within {}: on none of these counts; the fastest, {}, takes {} for {} iterations.\n",
                     base::format_seconds(q.within_s), place_text(a.choice.fastest),
                     base::format_seconds(a.choice.fastest.seconds * q.iterations),
                     base::format_count(static_cast<std::int64_t>(q.iterations)));
}

}  // namespace

ClusterAnswer answer(ClusterQuestion& question, const Globals& globals) {
  const bool described = !question.node.empty() || !question.network.empty();
  if (described == !question.profile.empty() || (described && (question.node.empty() || question.network.empty())))
    throw Error(ErrorCode::usage, "a cluster is a profile, or a node and a network", {},
                "--cluster FILE, or --node NAME|FILE.json --network NAME|FILE.json");
  if (globals.value_precision() == Precision::single_ && !question.solver.empty())
    throw Error(ErrorCode::usage, "iterations of solvers are forecast in double precision", {},
                "--solver or --precision single");
  if (described && !question.solver.empty())
    throw Error(ErrorCode::usage, "--solver needs a cluster that was measured", {},
                "--cluster FILE of `sparsecast cluster calibrate`");
  ProgressBar bar(globals);
  question.predict.progress = bar.function();
  question.predict.precision = globals.value_precision();
  question.predict.schemes.clear();
  question.predict.formats.clear();
  for (const std::string& scheme : question.schemes) question.predict.schemes.push_back(parse_scheme(scheme));
  for (const std::string& format : question.formats) question.predict.formats.push_back(parse_format(format));
  ClusterAnswer out;
  out.matrix = read_input(matrix_file(question.matrix, globals), globals);
  out.rows = out.matrix.rows();
  out.cols = out.matrix.cols();
  cluster::require_iterable(out.rows, out.cols, question.iterations == 1 ? 1 : 2, out.matrix.name());
  out.matrix = cluster::padded_square(out.matrix);
  if (described)
    ask_described(question, out);
  else
    ask_measured(question, out, globals);
  if (!out.prediction.missing.empty()) remark(globals, out.prediction.missing);
  out.choice = choose(out.prediction.forecasts);
  return out;
}

ordered_json short_json(const ClusterForecast& f) {
  return {{"way", to_string(f.scheme)}, {"format", to_string(f.format)},
          {"processes", f.processes},   {"nodes", f.nodes},
          {"seconds", f.seconds},       {"low_s", f.low_s},
          {"high_s", f.high_s},         {"tier", f.tier}};
}

ordered_json answer_json(const ClusterAnswer& a, const ClusterQuestion& question) {
  ordered_json document{
      {"matrix", {{"name", a.matrix.name()}, {"rows", a.rows}, {"cols", a.cols}, {"nonzeros", a.matrix.nonzeros()}}},
      {"cluster",
       {{"name", a.cluster}, {"source", a.source}, {"complete", a.complete}, {"cores_per_node", a.cores_per_node}}},
      {"forecasts", ordered_json::array()}};
  if (!a.solver.empty()) document["solver"] = a.solver;
  if (question.predict.precision == Precision::single_) document["precision"] = to_string(Precision::single_);
  for (std::size_t i = 0; i < a.prediction.forecasts.size(); ++i) {
    document["forecasts"].push_back(forecast_json(a.prediction.forecasts[i]));
    if (a.work.empty()) continue;
    document["forecasts"].back()["vectors_s"] = a.work[i].vectors_s;
    document["forecasts"].back()["reductions_s"] = a.work[i].reductions_s;
  }
  document["recommended"] = short_json(a.choice.recommended);
  document["recommended"]["node_hours"] = node_hours(a.choice.recommended, question.iterations);
  document["recommended"]["reason"] = a.choice.reason;
  document["fastest"] = short_json(a.choice.fastest);
  document["scaling"] = ordered_json::array();
  for (const ScalingPoint& p : a.choice.scaling)
    document["scaling"].push_back({{"way", to_string(p.scheme)},
                                   {"format", to_string(p.format)},
                                   {"processes", p.processes},
                                   {"nodes", p.nodes},
                                   {"seconds", p.seconds},
                                   {"efficiency", p.efficiency}});
  const ScalingEnd& end = a.choice.end;
  document["scaling_end"] = {{"processes", end.processes},
                             {"nodes", end.nodes},
                             {"seen", end.seen},
                             {"reason", end.reason},
                             {"text", end.text}};
  document["iterations"] = question.iterations;
  if (question.within_s > 0) {
    const auto found = done_within(of_first_model(a.prediction.forecasts), question.within_s, question.iterations);
    document["within"] = {{"asked_s", question.within_s}, {"possible", found.has_value()}};
    if (found) {
      document["within"]["choice"] = short_json(*found);
      document["within"]["total_s"] = found->seconds * question.iterations;
      document["within"]["node_hours"] = node_hours(*found, question.iterations);
    }
  }
  return document;
}

std::string answer_text(const ClusterAnswer& a, const ClusterQuestion& question) {
  const ClusterForecast& best = a.choice.recommended;
  constexpr int picture_height = 8;
  std::string text =
      fmt::format("{}: {} rows, {} non-zeros, on {} ({}, {}){}\n\n{}", a.matrix.name(), base::format_count(a.rows),
                  base::format_count(a.matrix.nonzeros()), a.cluster, a.source, best.tier,
                  a.solver.empty() ? "" : ", iterations of " + a.solver, table_text(a, question));
  const auto extrapolated = [](const ClusterForecast& f) { return f.extrapolated; };
  if (std::ranges::any_of(shown_rows(a, question.all), extrapolated))
    text += "* not calibrated on this process count\n";
  if (question.all) text += "\n" + scaling_table_text(a);
  if (const std::string picture = scaling_picture(a.choice.scaling, picture_height); !picture.empty())
    text += "\n" + picture;
  text += fmt::format("\nRecommended: {}, {} per iteration: {}.\n", place_text(best),
                      base::format_seconds(best.seconds), a.choice.reason);
  std::string cost = cost_text(best, question.iterations);
  if (!a.choice.end.text.empty()) cost += "; " + a.choice.end.text;
  text += cost + ".\n";
  if (question.within_s > 0) text += within_text(a, question);
  if (!question.all) text += "--all shows every forecast.\n";
  return text;
}

}  // namespace sparsecast::app
