// See space_report.hpp.

#include "app/kernel/space_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/terminal/terminal.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"

namespace sparsecast::app {
namespace {

using namespace gpu_code;
using SpaceDocument = nlohmann::ordered_json;

SpaceDocument value_json(const ExpressionValue& v) {
  if (v.kind == ExpressionValue::Kind::integer) return v.integer;
  if (v.kind == ExpressionValue::Kind::real) return v.real;
  return v.text;
}

SpaceDocument configuration_json(const TuningProblem& problem, const Choice& choice) {
  SpaceDocument one = SpaceDocument::object();
  for (std::size_t p = 0; p < choice.size(); ++p)
    one[problem.parameters()[p].name] = value_json(problem.value(choice, p));
  return one;
}

/// Only what differs within the space.
std::string configuration_text(const TuningProblem& problem, const Choice& choice) {
  std::string text;
  for (std::size_t p = 0; p < choice.size(); ++p)
    if (problem.parameters()[p].values.size() > 1)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", problem.parameters()[p].name,
                          problem.value(choice, p).written());
  return text;
}

/// Nobody is to take it for a measurement.
std::string forecast_device(const std::string& device) {
  return "forecast: " + device + " by sparsecast, not measured";
}

}  // namespace

SpaceDocument space_json(const TuningProblem& problem, const SpaceSearch& search, const std::string& device) {
  SpaceDocument document{{"kernel", problem.kernel()}, {"device", device}};
  document["configurations"] = search.configurations;
  document["bounded"] = search.bounded;
  document["forecast"] = search.forecast;
  document["refused"] = search.refused;
  document["resumed"] = search.resumed;
  document["settled"] = search.settled;
  document["clock_hz"] = search.clock_hz;
  auto& ranking = document["ranking"] = SpaceDocument::array();
  for (std::size_t i = 0; i < search.ranking.size(); ++i) {
    const auto& r = search.ranking[i];
    SpaceDocument one{{"configuration", configuration_json(problem, r.choice)},
                      {"grid", r.row.grid},
                      {"block", r.row.block},
                      {"seconds", r.seconds},
                      {"low_s", r.low_s},
                      {"high_s", r.high_s},
                      {"bound_by", r.bound_by}};
    if (i + 1 < search.ranking.size()) one["beats_next_by"] = why_first(r, search.ranking[i + 1]);
    ranking.push_back(std::move(one));
  }
  return document;
}

std::string space_text(const TuningProblem& problem, const SpaceSearch& search, const std::string& device) {
  std::string text = fmt::format("{} on {}: {} configurations, {} forecast in full{}{}\n", problem.kernel(), device,
                                 base::format_count(search.configurations), base::format_count(search.forecast),
                                 search.resumed > 0 ? fmt::format(" ({} of an earlier run)", search.resumed) : "",
                                 search.refused > 0 ? fmt::format(", {} refused", search.refused) : "");
  text += search.settled
              ? "the others are bounded from those above the last of these\n\n"
              : "not settled: some of the others may still be in front (more with --forecasts and --within)\n\n";
  base::TextTable table({"", "configuration", "forecast", "90 %", "bound by"});
  for (std::size_t i = 0; i < search.ranking.size(); ++i) {
    const auto& r = search.ranking[i];
    table.add({std::to_string(i + 1), configuration_text(problem, r.choice), base::format_seconds(r.seconds),
               fmt::format("{} to {}", base::format_seconds(r.low_s), base::format_seconds(r.high_s)), r.bound_by});
  }
  text += table.text(layout());
  if (search.ranking.size() > 1)
    text += fmt::format("\nthe first beats the second by {}\n", why_first(search.ranking[0], search.ranking[1]));
  if (!search.first_refusal.empty()) text += "note: refused, the first: " + search.first_refusal + "\n";
  return text;
}

SpaceDocument results_json(const TuningProblem& problem, const SpaceSearch& search, const std::string& device) {
  SpaceDocument document{{"schema_version", "1.0.0"},
                         {"metadata", {{"device", forecast_device(device)}, {"forecast", true}}}};
  auto& results = document["results"] = SpaceDocument::array();
  for (const auto& r : search.ranking)
    results.push_back({{"timestamp", base::utc_now()},
                       {"configuration", configuration_json(problem, r.choice)},
                       {"times", {{"compilation_time", 0}, {"runtimes", {r.seconds * 1e3}}}},
                       {"invalidity", "correct"},
                       {"correctness", 1},
                       {"measurements",
                        {{{"name", "time"}, {"value", r.seconds * 1e3}, {"unit", "ms"}},
                         {{"name", "time_low"}, {"value", r.low_s * 1e3}, {"unit", "ms"}},
                         {{"name", "time_high"}, {"value", r.high_s * 1e3}, {"unit", "ms"}}}},
                       {"objectives", {"time"}}});
  return document;
}

SpaceDocument tuner_cache_json(const TuningProblem& problem, const SpaceSearch& search, const std::string& device) {
  auto sizes = SpaceDocument::array(), keys = SpaceDocument::array();
  for (const auto& size : problem.problem_size().list) sizes.push_back(value_json(size));
  auto parameters = SpaceDocument::object();
  for (const auto& p : problem.parameters()) {
    keys.push_back(p.name);
    auto values = SpaceDocument::array();
    for (const auto& v : p.values) values.push_back(value_json(v));
    parameters[p.name] = std::move(values);
  }
  SpaceDocument document{{"device_name", forecast_device(device)}, {"kernel_name", problem.kernel()}};
  document["problem_size"] = std::move(sizes);
  document["tune_params_keys"] = std::move(keys);
  document["tune_params"] = std::move(parameters);
  document["objective"] = "time";
  auto& cache = document["cache"] = SpaceDocument::object();
  for (const auto& r : search.ranking) {
    std::string key;
    for (std::size_t p = 0; p < r.choice.size(); ++p) key += (p > 0 ? "," : "") + problem.value(r.choice, p).written();
    auto one = configuration_json(problem, r.choice);
    one["time"] = r.seconds * 1e3;
    one["time_low"] = r.low_s * 1e3;
    one["time_high"] = r.high_s * 1e3;
    one["forecast"] = true;
    cache[key] = std::move(one);
  }
  return document;
}

}  // namespace sparsecast::app
