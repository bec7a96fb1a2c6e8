// kernel: one launch, or a graph, by every model.

#include <set>
#include <sparsecast/threads.hpp>

#include "answers/in_range.hpp"
#include "answers/inputs.hpp"
#include "answers/kernel_inputs.hpp"
#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/guard/program_rules.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "fields/answers/kernel.hpp"
#include "fields/json.hpp"
#include "fields/wording.hpp"
#include "gpu_code/compile/macros.hpp"
#include "gpu_code/compile/source_parameters.hpp"
#include "gpu_code/graph/critical_path.hpp"
#include "gpu_code/graph/graph_json.hpp"
#include "gpu_code/graph/paper_models.hpp"
#include "gpu_code/graph/picture.hpp"
#include "gpu_code/kernel_analysis.hpp"
#include "gpu_code/own/own_product.hpp"
#include "gpu_code/space/space_search.hpp"
#include "gpu_code/space/tuning_problem.hpp"
#include "gpu_code/times/measured_times.hpp"
#include "gpu_code/tuning_space.hpp"

namespace sparsecast {
namespace {
using namespace gpu_code;

KernelReport own_report(const KernelRequest& request, const AnalysisOptions& options) {
  if (!request.matrix)
    throw Error(ErrorCode::usage, wording::format("{}: the matrix is missing", wording::option("own", request.own)), {},
                wording::format("give {}", wording::option("kernel.matrix", wording::placeholder("FILE"))));
  const KernelTimes times = answers::kernel_times_of(request);
  const Matrix matrix = load_matrix(*request.matrix, request.threads, request.listener);
  const Structure structure = analyze(matrix);
  const bool overlapped =
      options.models.empty() || std::ranges::find(options.models, "overlapped") != options.models.end();
  const auto catalogued =
      overlapped ? estimate_from_code(structure, request.own, request.precision, times) : std::nullopt;
  if (catalogued && request.no_run) return report_from_code(*catalogued, request.own, times);
  KernelReport report;
  try {
    report = analyze_own(own_launches(matrix, structure, request.own, request.precision, times), request.own, times,
                         options);
  } catch (const Error& error) {
    if (!catalogued || error.code() != ErrorCode::unavailable) throw;
    return report_from_code(*catalogued, request.own, times);
  }
  if (!catalogued) return report;
  // One answer, whoever is asked: the launch that was followed explains it.
  for (LaunchEstimate& e : report.estimates)
    if (e.model == catalogued->model) {
      report.notes.push_back(
          wording::format("overlapped is what {} says of it; the launch as it was followed here takes {}",
                          wording::ask("predict", {{"device", times.name}}), base::format_seconds(e.seconds.value()))
              .in(options.voice));
      e = *catalogued;
    }
  return report;
}

// A file's ending says what it holds; what has none is the name of a kernel of our own. A pipe has no ending.
bool is_source_file(const std::filesystem::path& given) {
  std::error_code none;
  if (!given.extension().empty() || std::filesystem::is_directory(given, none)) return true;
  const std::vector<std::string> own = own_kernels();
  if (std::filesystem::exists(given, none) && std::ranges::find(own, given.string()) == own.end())
    throw Error(ErrorCode::usage, "the file's name does not say what it holds", {given.string()},
                "give a file that ends in .ptx, .cu, .cl, .hip or, if it is a graph, .json");
  return false;
}

KernelReport code_report(const KernelRequest& request, const AnalysisOptions& options) {
  const KernelTimes times = answers::kernel_times_of(request);
  const std::string name = request.file.string();
  const bool is_file = is_source_file(request.file);
  const std::filesystem::path source = is_file ? request.file : own_kernel_source(name);
  if (request.grid[0] == 0 || request.block[0] == 0)
    throw Error(ErrorCode::usage, "the kernel's launch is not given", {},
                wording::format("give {} and {}", wording::option("grid"), wording::option("block")));
  return analyze_code(
      load_code(source, request.kernel.empty() && !is_file ? name : request.kernel, request.defines, times, true),
      answers::launch_of(request), times, options);
}

KernelReport report_of(const KernelRequest& request) {
  AnalysisOptions options;
  options.models = request.models;
  options.symbolic = request.symbolic;
  options.powers = request.powers;
  options.matrix_form = request.matrix_form;
  options.advice = true;
  options.voice = request.listener.voice;
  if (!request.own.empty()) return own_report(request, options);
  if (request.file.extension() == ".json")
    return analyze_graph(read_graph(request.file), request.file.string(), options);
  return code_report(request, options);
}

}  // namespace

LaunchTime kernel(const KernelRequest& request) {
  const base::StopScope stop(request.listener.stop);
  answers::require_in_range(request);
  const base::ProgramScope guard({.forbidden = request.no_run});
  answers::check_kernel_request(request);
  const KernelReport r = report_of(request);
  if (!request.graph.empty()) write_graph(r.graph, r.path, request.graph);
  LaunchTime answer = r;
  answer.critical_path = explain_path(r.graph, r.path);
  if (request.drawing) answer.drawing = drawn_graph(r.graph, r.path);
  if (request.symbolic) {
    for (LaunchEstimate& e : answer.estimates) e.expression = e.expression.value_or("");
    answer.symbols = explain_symbols(r.graph, answer.estimates, !r.device.empty());
  }
  if (r.fits)
    answer.occupancy = {r.fits->blocks,           r.fits->warps,          r.fits->limited_by, r.resources.registers,
                        r.resources.shared_bytes, r.resources.spill_bytes};
  return answer;
}

// kernel_table, and what it shares with kernel() and kernel_space().

namespace answers {
using namespace gpu_code;

namespace {
// What follows from a matrix, or stands in a graph, is not given a second time.
void check_launch(const KernelRequest& request) {
  const bool own = !request.own.empty(), graph = !own && request.file.extension() == ".json";
  if (own && (!request.kernel.empty() || !request.defines.empty()))
    throw Error(ErrorCode::usage, wording::format("{} is a kernel without macros", wording::option("own", request.own)),
                {},
                wording::format("omit {} and {}", wording::option("kernel.kernel"), wording::option("kernel.defines")));
  const bool launched = request.grid[0] != 0 || request.block[0] != 0 || request.shared_bytes != 0;
  const bool bound = !request.arguments.empty() || !request.buffers.empty() || !request.trips.empty();
  if ((own || graph) && (launched || bound))
    throw Error(ErrorCode::usage,
                own ? "the matrix decides launch and data of an own kernel" : "a graph holds its own launch", {},
                "omit grid, block and everything else of a launch");
  if (!own && request.matrix)
    throw Error(ErrorCode::usage, "a matrix is for one of Sparsecast's own kernels", {},
                wording::format("omit {}, or give {}", wording::option("kernel.matrix"),
                                wording::option("own", wording::placeholder("KERNEL"))));
  if (!own && request.precision != Precision::double_)
    throw Error(ErrorCode::usage, "a precision is for one of Sparsecast's own kernels; others have that of their code",
                {}, wording::format("omit {}", wording::option("precision", request.precision)));
}
}  // namespace

void check_kernel_request(const KernelRequest& request) {
  check_launch(request);
  for (const std::string& model : request.models)
    if (std::ranges::find(kernel_models(), model) == kernel_models().end())
      throw Error(ErrorCode::usage, fmt::format("there is no model '{}'", model), {},
                  fmt::format("known: {}, all", fmt::join(kernel_models(), ", ")));
  std::set<std::string> macros;
  for (const std::string& define : request.defines) check_define(define, wording::option("kernel.defines"), macros);
}

KernelTimes kernel_times_of(const KernelRequest& request) {
  return with_clock(times_of_device(request.device), request.clock);
}

Launch launch_of(const KernelRequest& request) {
  Launch launch;
  if (request.grid[0] != 0) launch.grid = request.grid;
  if (request.block[0] != 0) launch.block = request.block;
  launch.arguments = request.arguments;
  launch.buffers = request.buffers;
  launch.trips = request.trips;
  launch.dynamic_shared_bytes = request.shared_bytes;
  launch.lanes_diverge = request.lanes_diverge;
  return launch;
}

/// What the request says of all rows: a kernel and macros, where a row does not name its own. The launch is the rows'.
void add_shared(std::vector<gpu_code::TuningRow>& rows, const KernelRequest& request) {
  if (request.grid[0] != 0 || request.block[0] != 0)
    throw Error(ErrorCode::usage, "a table says what grid and block each row has", {},
                wording::format("omit {} and {}", wording::option("grid"), wording::option("block")));
  const auto name_of = [](const std::string& define) { return define.substr(0, define.find('=')); };
  for (gpu_code::TuningRow& row : rows) {
    if (row.kernel.empty()) row.kernel = request.kernel;
    if (!request.kernel.empty() && row.kernel != request.kernel)
      throw Error(ErrorCode::usage, fmt::format("line {} of the table is of kernel {}", row.line, row.kernel), {},
                  "omit " + wording::option("kernel.kernel"));
    for (const std::string& define : request.defines) {
      const auto own = std::ranges::find(row.defines, name_of(define), name_of);
      if (own == row.defines.end())
        row.defines.push_back(define);
      else if (*own != define)
        throw Error(ErrorCode::usage,
                    wording::format("{}: line {} of the table has {}", wording::option("kernel.defines", define),
                                    row.line, *own),
                    {}, "give a macro in one of both places");
    }
  }
}

int jobs_of(const KernelRequest& request) { return request.threads > 0 ? request.threads : available_cores(); }
}  // namespace answers

KernelTable kernel_table(const KernelTableRequest& request) {
  using namespace gpu_code;
  const KernelRequest& asked = request.kernel;
  const base::StopScope stop(asked.listener.stop);
  answers::require_in_range(request);
  const base::ProgramScope guard({.forbidden = asked.no_run});
  answers::check_kernel_request(asked);
  const KernelTimes times = answers::kernel_times_of(asked);
  std::vector<TuningRow> rows = read_tuning_table(request.table);
  answers::add_shared(rows, asked);
  AnalysisOptions options;
  options.models = asked.models;
  const Launch shared = answers::launch_of(asked);
  KernelTable answer = forecast_tuning_space(asked.file, rows, times, options, answers::jobs_of(asked),
                                             asked.listener.progress, &shared);
  if (request.drawn_anchors > 0 || !request.anchors.empty())
    answer = anchored_report(answer, rows, times, request.anchors, request.drawn_anchors);
  return answer;
}

// kernel_space: the fastest configurations of a tuning space, also in the tuners' own formats, marked as forecast.

namespace {
using namespace gpu_code;
using fields::Json;

ParameterValue value_of(const ExpressionValue& v) {
  if (v.kind == ExpressionValue::Kind::integer) return v.integer;
  if (v.kind == ExpressionValue::Kind::real) return v.real;
  return v.text;
}

Json value_json(const ExpressionValue& v) { return fields::written(value_of(v), FieldInfo()); }

/// Nobody is to take it for a measurement.
std::string forecast_device(const KernelSpace& space) {
  return "forecast: " + space.device + " by sparsecast, not measured";
}

Json configuration_json(const RankedKernel& one) { return fields::written(one.configuration, FieldInfo()); }

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
  answers::require_in_range(request);
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
