// sparsecast kernel FILE: the time of a GPU kernel from its code or its graph.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sstream>
#include <system_error>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "app/kernel/kernel_report.hpp"
#include "app/kernel/space_report.hpp"
#include "app/kernel/table_report.hpp"
#include "app/page/page.hpp"
#include "app/terminal/progress_bar.hpp"
#include "app/terminal/terminal.hpp"
#include "base/files.hpp"
#include "base/guard/no_run.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "gpu_code/compile/defines_header.hpp"
#include "gpu_code/compile/own_kernels.hpp"
#include "gpu_code/graph/graph_json.hpp"
#include "gpu_code/graph/picture.hpp"
#include "gpu_code/kernel_analysis.hpp"
#include "gpu_code/own/own_product.hpp"
#include "gpu_code/space/space_search.hpp"
#include "gpu_code/times/measured_times.hpp"
#include "gpu_code/tuning_space.hpp"

namespace sparsecast::app {
namespace {

using namespace gpu_code;

struct KernelOptions {
  std::string file, kernel, grid, block, device = "nvidia-h100", graph, table, divergence = "sum", evaluation = "path",
                                         page, clock, space, results, cache, journal, own, matrix;
  std::vector<std::string> defines, arguments, buffers, trips, models, anchors;
  std::int64_t shared_bytes = 0, forecasts = 240;
  double within_s = 900;
  int drawn_anchors = 0, top = 10;
  bool symbolic = false, no_run = false;
};

/// The device's table, at the clock that was asked for.
KernelTimes times_of(const KernelOptions& o) { return with_clock(times_of_device(o.device), o.clock); }

/// What --model asks for; none: all.
std::vector<std::string> models_of(const KernelOptions& o) {
  return std::ranges::find(o.models, "all") != o.models.end() ? std::vector<std::string>{} : o.models;
}

int jobs_of(const Globals& globals) { return globals.threads > 0 ? globals.threads : base::available_cores(); }

std::vector<Anchor> anchors_of(const KernelOptions& o) {
  std::vector<Anchor> anchors;
  for (const auto& text : o.anchors) anchors.push_back(parse_anchor(text));
  return anchors;
}

Launch launch_of(const KernelOptions& o) {
  Launch launch;
  if (!o.grid.empty() && o.space.empty()) launch.grid = parse_dimensions(o.grid, "--grid");
  if (!o.block.empty() && o.space.empty()) launch.block = parse_dimensions(o.block, "--block");
  for (const auto& a : o.arguments) launch.arguments.insert(parse_assignment(a, "--arg"));
  for (const auto& b : o.buffers) {
    const auto [name, path] = parse_assignment(b, "--buffer");
    launch.buffers[name] = read_buffer(path);
  }
  for (const auto& t : o.trips) {
    const auto [label, count] = parse_assignment(t, "--trip");
    auto& counts = launch.trips[label];
    const auto number = [&](const std::string& text) {
      std::size_t used = 0;
      long long value = -1;
      try {
        value = std::stoll(text, &used);
      } catch (const std::exception&) {
      }
      if (used != text.size() || value < 0)
        throw Error(ErrorCode::usage, "--trip " + t + ": not a count", {},
                    "give a whole number, or a file with one number a line (row lengths)");
      counts.push_back(value);
    };
    if (std::error_code unknown; std::filesystem::exists(count, unknown)) {
      std::istringstream in(base::read_file(count, {.what = "trip counts", .remedy = "give one number a line"}));
      for (std::string word; in >> word;) number(word);
    } else {
      number(count);
    }
  }
  launch.dynamic_shared_bytes = o.shared_bytes;
  launch.lanes_diverge = o.divergence == "sum";
  return launch;
}

void run_table(const KernelOptions& o, const Globals& globals) {
  const auto times = times_of(o);
  const auto rows = read_tuning_table(o.table);
  ProgressBar bar(globals);
  AnalysisOptions options;
  options.models = models_of(o);
  if (o.models.empty() && !globals.json && o.page.empty()) options.models = {"overlapped"};
  const auto shared = launch_of(o);
  auto report = forecast_tuning_space(o.file, rows, times, options, jobs_of(globals), bar.function(), &shared);
  if (o.drawn_anchors > 0 || !o.anchors.empty())
    report = anchored_report(report, rows, times, anchors_of(o), o.drawn_anchors);
  Page(o.page, globals)
      .write("Configurations of " + rows.front().kernel, "kernel", table_json(rows, report, times.name));
  if (globals.json) {
    print_json("kernel", table_json(rows, report, times.name));
  } else {
    print(table_text(rows, report));
  }
}

void run_space(const KernelOptions& o, const Globals& globals) {
  const auto times = times_of(o);
  const TuningProblem problem(o.space, {o.kernel, o.defines, o.grid, o.block});
  SpaceSearchOptions options;
  options.forecasts = o.forecasts;
  options.within_s = o.within_s;
  options.jobs = jobs_of(globals);
  options.top = static_cast<std::size_t>(o.top);
  options.launch = launch_of(o);
  options.anchors = anchors_of(o);
  options.journal =
      o.journal.empty() ? search_journal(o.file, problem, times, options.launch) : std::filesystem::path(o.journal);
  SpaceSearch search;
  {
    ProgressBar bar(globals);
    search = search_space(o.file, problem, times, options, bar.function());
  }
  const auto document = space_json(problem, search, times.name);
  if (!o.results.empty())
    base::write_file_atomically(o.results, results_json(problem, search, times.name).dump(1) + "\n",
                                {.what = "results"});
  if (!o.cache.empty())
    base::write_file_atomically(o.cache, tuner_cache_json(problem, search, times.name).dump(1) + "\n",
                                {.what = "cache"});
  Page(o.page, globals).write("Configurations of " + problem.kernel(), "kernel", document);
  if (globals.json)
    print_json("kernel", document);
  else
    print(space_text(problem, search, times.name));
}

/// One of the product's own kernels, on a matrix.
KernelReport own_report(const KernelOptions& o, const AnalysisOptions& options, const Globals& globals) {
  if (o.matrix.empty())
    throw Error(ErrorCode::usage, fmt::format("--own {}: of which matrix?", o.own), {}, "give --matrix FILE");
  const auto times = times_of(o);
  const auto matrix = read_input(matrix_file(o.matrix, globals), globals);
  return analyze_own(own_launches(matrix, analyze(matrix), o.own, globals.value_precision(), times), o.own, times,
                     options);
}

void check_together(const KernelOptions& o) {
  if (o.file.empty() == o.own.empty())
    throw Error(ErrorCode::usage, "give a file, or one of the product's own kernels by --own", {},
                "see sparsecast kernel --help");
  if ((o.drawn_anchors > 0 && o.table.empty()) || (!o.anchors.empty() && o.table.empty() && o.space.empty()))
    throw Error(ErrorCode::usage, "anchors belong to a table or a space", {}, "give --table or --space");
  if (o.drawn_anchors > 0 && !o.anchors.empty())
    throw Error(ErrorCode::usage, "--anchor and --anchors exclude each other", {}, "give one of them");
  if (!o.space.empty() && !o.table.empty())
    throw Error(ErrorCode::usage, "--space and --table exclude each other", {}, "give one of them");
  if (o.space.empty() && (!o.results.empty() || !o.cache.empty() || !o.journal.empty()))
    throw Error(ErrorCode::usage, "--results, --cache and --journal belong to a space", {}, "give --space");
}

void run_kernel(const KernelOptions& o, const Globals& globals) {
  check_together(o);
  base::forbid_programs(o.no_run);
  for (const auto& model : o.models)
    if (model != "all" && std::find(kernel_models().begin(), kernel_models().end(), model) == kernel_models().end())
      throw Error(ErrorCode::usage, "--model " + model + ": there is no such model", {},
                  fmt::format("known: {}, all", fmt::join(kernel_models(), ", ")));
  for (const auto& define : o.defines) check_define(define, "--define");
  if (!o.table.empty()) return run_table(o, globals);
  if (!o.space.empty()) return run_space(o, globals);
  AnalysisOptions options;
  options.models = models_of(o);
  options.symbolic = o.symbolic;
  options.matrix_form = o.evaluation == "matrix";
  options.advice = true;
  KernelReport report;
  const std::filesystem::path file(o.file);
  if (!o.own.empty()) {
    report = own_report(o, options, globals);
  } else if (file.extension() == ".json") {
    report = analyze_graph(read_graph(file), o.file, options);
  } else {
    const auto times = times_of(o);
    const bool is_file = !file.extension().empty();
    const auto source = is_file ? file : own_kernel_source(o.file);
    const std::string kernel = o.kernel.empty() && !is_file ? o.file : o.kernel;
    if (o.grid.empty() || o.block.empty())
      throw Error(ErrorCode::usage, "how is the kernel launched?", {}, "give --grid and --block");
    report = analyze_code(load_code(source, kernel, o.defines, times, true), launch_of(o), times, options);
  }
  if (!o.graph.empty()) write_graph(report.graph, report.critical_path, o.graph);
  if (Page page(o.page, globals); page.wanted()) {
    page.add_drawing("Graph of " + report.kernel, drawn_graph(report.graph, report.critical_path));
    page.write("Kernel " + report.kernel, "kernel", report_json(report, o.symbolic));
  }
  if (globals.json)
    print_json("kernel", report_json(report, o.symbolic));
  else
    print(report_text(report, o.symbolic, o.models.empty() && !o.symbolic && report.overlap.has_value()));
}

}  // namespace

void add_kernel(CLI::App& root, const Globals& globals) {
  auto* command = root.add_subcommand("kernel", "time of a GPU kernel from PTX, CUDA or OpenCL C source, or a graph");
  command->footer("A source is given to nvcc or clang, which include what it names; the kernel itself never runs.");
  auto options = std::make_shared<KernelOptions>();
  command->add_option("FILE", options->file,
                      ".ptx, .cu, .cl, .hip, a graph (.json), or the name of one of this product's benchmark kernels");
  command->add_option("--kernel", options->kernel, "which kernel, where the file has several");
  command->add_option("--grid", options->grid, "blocks: X, XxY or XxYxZ");
  command->add_option("--block", options->block, "threads of a block: X, XxY or XxYxZ");
  command->add_option("--define", options->defines,
                      "NAME=VALUE for the compiler; VALUE of numbers, names, blanks and .,+-*/%&|^~!<>=?:()[]{}");
  command->add_option("--arg", options->arguments, "NAME=VALUE of a parameter, by name or position from 0");
  command->add_option("--buffer", options->buffers,
                      "NAME=FILE: the bytes of a buffer whose content decides addresses or branches");
  command->add_option("--trip", options->trips,
                      "LABEL=COUNT (or a file of counts) for a loop whose length depends on data");
  command->add_option("--shared-bytes", options->shared_bytes, "dynamic shared memory of a block")
      ->check(CLI::Range(0, 1 << 20));
  command
      ->add_option("--device", options->device,
                   "a device with a table of kernel times, such a table's file, or a calibrated device (cuda:0) or its "
                   "profile's file")
      ->capture_default_str();
  command->add_option("--clock", options->clock,
                      "base, boost, or Hz (default, for every board: base while 32 launches last 0.25 s at most)");
  command->add_option(
      "--model", options->models,
      "naive, operations, serialized, overlapped or all (default: overlapped is printed, of a graph all; "
      "documents hold all)");
  command
      ->add_option("--divergence", options->divergence,
                   "a branch on unknown data costs both sides (sum) or the longer (longer)")
      ->check(CLI::IsMember({"sum", "longer"}))
      ->capture_default_str();
  command
      ->add_option("--evaluation", options->evaluation,
                   "the paper's models by the longest path or by max-plus matrices")
      ->check(CLI::IsMember({"path", "matrix"}))
      ->capture_default_str();
  command->add_option("--graph", options->graph, "writes the kernel graph: OUT.json, OUT.dot or OUT.svg");
  command->add_option("--table", options->table, "forecasts every configuration of a tuning table (.tsv)");
  command->add_option("--space", options->space,
                      "searches a tuning problem (T1, .json) for its fastest configurations; --define of a parameter "
                      "pins it, --grid and --block may then be expressions");
  command->add_option("--top", options->top, "with --space: configurations to name")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--forecasts", options->forecasts, "with --space: full forecasts to make at most")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--within", options->within_s, "with --space: seconds after which no further one is begun")
      ->check(CLI::Range(1.0, 1e7))
      ->capture_default_str();
  command->add_option("--journal", options->journal,
                      "with --space: where forecasts are kept, to go on from (default: in the store)");
  command->add_option("--results", options->results, "with --space: writes the ranking as a results file (T4, .json)");
  command->add_option("--cache", options->cache, "with --space: writes the ranking as a Kernel Tuner cache (.json)");
  command->add_option("--anchor", options->anchors,
                      "CONFIG=SECONDS, a measured configuration: a row (12=0.003), or parameters (a=32,b=2=0.003)");
  command
      ->add_option("--anchors", options->drawn_anchors,
                   "with --table: so many measured rows, drawn at random, move the forecasts of the rest (the mean "
                   "of twenty draws)")
      ->check(CLI::Range(1, 1000));
  command->add_option("--own", options->own, "instead of FILE: a kernel of `sparsecast measure`, on --matrix");
  command->add_option("--matrix", options->matrix, "with --own: the matrix, which gives launch, grid and data");
  command->add_flag("--no-run", options->no_run,
                    "start no compiler and no assembler: graphs, and PTX with its own registers");
  command->add_flag("--symbolic", options->symbolic, "prints the expressions; times may stay undefined");
  add_page_option(*command, options->page);
  command->callback([options, &globals] { run_kernel(*options, globals); });
}

}  // namespace sparsecast::app
