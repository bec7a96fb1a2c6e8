#include "app/cluster_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "app/terminal/terminal.hpp"
#include "base/text.hpp"
#include "cluster/models/forecast.hpp"

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
                 base::format_seconds(p.seconds), base::format_percent(p.efficiency)});
  return scaling.text(layout());
}

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
  return fmt::format("Within {}: on none of these counts; the fastest, {}, takes {} for {} iterations.\n",
                     base::format_seconds(w.asked_s), place_text(a.fastest),
                     base::format_seconds(a.fastest.seconds * a.iterations),
                     base::format_count(static_cast<std::int64_t>(a.iterations)));
}
}  // namespace

std::string cluster_prediction_text(const ClusterPrediction& a, bool all) {
  const ClusterPlace& best = a.recommended.place;
  constexpr int picture_height = 8;
  std::string text =
      fmt::format("{}: {} rows, {} non-zeros, on {} ({}, {}){}\n\n{}", a.matrix.name, base::format_count(a.matrix.rows),
                  base::format_count(a.matrix.nonzeros), a.cluster.name, a.cluster.source, best.tier,
                  a.solver.empty() ? "" : ", iterations of " + a.solver, table_text(a, all));
  if (std::ranges::any_of(shown_rows(a, all), &ClusterForecast::extrapolated))
    text += "* not calibrated on this process count\n";
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
}  // namespace sparsecast::app
