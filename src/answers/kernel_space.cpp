// kernel_space: the fastest configurations of a tuning space, also in the tuners' own formats, marked as forecast.

#include <nlohmann/json.hpp>

#include "answers/kernel_inputs.hpp"
#include "base/clock.hpp"
#include "base/fields/json.hpp"
#include "base/files.hpp"
#include "base/guard/cleanup.hpp"
#include "base/interrupt.hpp"
#include "gpu_code/space/space_search.hpp"

namespace sparsecast {
namespace {
using namespace gpu_code;
using base::Json;

ParameterValue value_of(const ExpressionValue& v) {
  if (v.kind == ExpressionValue::Kind::integer) return v.integer;
  if (v.kind == ExpressionValue::Kind::real) return v.real;
  return v.text;
}

Json value_json(const ExpressionValue& v) { return base::written(value_of(v), FieldInfo()); }

/// Nobody is to take it for a measurement.
std::string forecast_device(const KernelSpace& space) {
  return "forecast: " + space.device + " by sparsecast, not measured";
}

Json configuration_json(const RankedKernel& one) { return base::written(one.configuration, FieldInfo()); }

/// A results file in the tuners' public format (T4): of every result an objective "time" in milliseconds.
Json results_json(const KernelSpace& space) {
  Json document{{"schema_version", "1.0.0"},
                {"metadata", {{"device", forecast_device(space)}, {"forecast", true}}},
                {"results", Json::array()}};
  for (const RankedKernel& r : space.ranking)
    document["results"].push_back({{"timestamp", base::utc_now()},
                                   {"configuration", configuration_json(r)},
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

/// A cache file as Kernel Tuner reads it.
Json tuner_cache_json(const KernelSpace& space, const TuningProblem& problem, const SpaceSearch& search) {
  Json sizes = Json::array(), keys = Json::array(), parameters = Json::object();
  for (const ExpressionValue& size : problem.problem_size().list) sizes.push_back(value_json(size));
  for (const TuningParameter& p : problem.parameters()) {
    keys.push_back(p.name);
    Json values = Json::array();
    for (const ExpressionValue& v : p.values) values.push_back(value_json(v));
    parameters[p.name] = std::move(values);
  }
  Json document{{"device_name", forecast_device(space)},
                {"kernel_name", space.kernel},
                {"problem_size", std::move(sizes)},
                {"tune_params_keys", std::move(keys)},
                {"tune_params", std::move(parameters)},
                {"objective", "time"},
                {"cache", Json::object()}};
  for (std::size_t i = 0; i < space.ranking.size(); ++i) {
    const RankedKernel& r = space.ranking[i];
    const Choice& choice = search.ranking[i].choice;
    std::string key;
    for (std::size_t p = 0; p < choice.size(); ++p) key += (p > 0 ? "," : "") + problem.value(choice, p).written();
    Json one = configuration_json(r);
    one["time"] = r.seconds * 1e3;
    one["time_low"] = r.low_s * 1e3;
    one["time_high"] = r.high_s * 1e3;
    one["forecast"] = true;
    document["cache"][key] = std::move(one);
  }
  return document;
}

KernelSpace answer_of(const TuningProblem& problem, const SpaceSearch& search, const std::string& device) {
  KernelSpace answer{.kernel = problem.kernel(),
                     .device = device,
                     .configurations = search.configurations,
                     .bounded = search.bounded,
                     .forecast = search.forecast,
                     .refused = search.refused,
                     .resumed = search.resumed,
                     .settled = search.settled,
                     .clock_hz = search.clock_hz,
                     .first_refusal = search.first_refusal};
  for (const TuningParameter& p : problem.parameters())
    if (p.values.size() > 1) answer.varied.push_back(p.name);
  for (std::size_t i = 0; i < search.ranking.size(); ++i) {
    const RankedConfiguration& r = search.ranking[i];
    RankedKernel& one = answer.ranking.emplace_back();
    for (std::size_t p = 0; p < r.choice.size(); ++p)
      one.configuration.emplace_back(problem.parameters()[p].name, value_of(problem.value(r.choice, p)));
    one.grid.assign(r.row.grid.begin(), r.row.grid.end());
    one.block.assign(r.row.block.begin(), r.row.block.end());
    one.seconds = r.seconds;
    one.low_s = r.low_s;
    one.high_s = r.high_s;
    one.bound_by = r.bound_by;
    if (i + 1 < search.ranking.size()) one.beats_next_by = why_first(r, search.ranking[i + 1]);
  }
  return answer;
}
}  // namespace

KernelSpace kernel_space(const KernelSpaceRequest& request) {
  const KernelRequest& asked = request.kernel;
  const base::StopScope stop(asked.listener.stop);
  const base::ProgramScope guard({.forbidden = asked.no_run});
  answers::check_kernel_request(asked);
  const KernelTimes times = answers::kernel_times_of(asked);
  const TuningProblem problem(request.space, {asked.kernel, asked.defines, request.grid, request.block});
  SpaceSearchOptions options;
  options.forecasts = request.forecasts;
  options.within_s = request.within_s;
  options.jobs = answers::jobs_of(asked);
  options.top = request.top;
  options.launch = answers::launch_of(asked);
  options.anchors = request.anchors;
  options.journal =
      request.journal.empty() ? search_journal(asked.file, problem, times, options.launch) : request.journal;
  const SpaceSearch search = search_space(asked.file, problem, times, options, asked.listener.progress);
  KernelSpace answer = answer_of(problem, search, times.name);
  if (!request.results.empty())
    base::write_file_atomically(request.results, results_json(answer).dump(1) + "\n", {.what = "results"});
  if (!request.cache.empty())
    base::write_file_atomically(request.cache, tuner_cache_json(answer, problem, search).dump(1) + "\n",
                                {.what = "cache"});
  return answer;
}
}  // namespace sparsecast
