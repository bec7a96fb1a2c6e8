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
#include "gpu_code/times/measured_times.hpp"
#include "gpu_code/tuning_space.hpp"

namespace sparsecast::app {
namespace {

using namespace gpu_code;

struct KernelOptions {
  std::string file, kernel, grid, block, device = "nvidia-h100", graph, table, divergence = "sum", evaluation = "path",
                                         page;
  std::vector<std::string> defines, arguments, buffers, trips, models;
  std::int64_t shared_bytes = 0;
  double clock_hz = 0;
  bool symbolic = false, no_run = false;
};

/// The device's table, at the clock that was asked for.
KernelTimes times_of(const KernelOptions& o) {
  auto times = times_of_device(o.device);
  if (o.clock_hz <= 0) return times;
  times = at_clock(times, o.clock_hz);
  times.base_clock_hz = 0;
  return times;
}

Launch launch_of(const KernelOptions& o) {
  Launch launch;
  if (!o.grid.empty()) launch.grid = parse_dimensions(o.grid, "--grid");
  if (!o.block.empty()) launch.block = parse_dimensions(o.block, "--block");
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

nlohmann::ordered_json estimates_json(const std::vector<KernelEstimate>& estimates, bool full, bool symbolic) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& e : estimates) {
    nlohmann::ordered_json one{{"model", e.model}, {"seconds", e.seconds}};
    if (full) {
      one["cycles"] = e.cycles > 0 ? nlohmann::ordered_json(e.cycles) : nlohmann::ordered_json(nullptr);
      one["bound_by"] = e.bound_by;
      if (symbolic) one["expression"] = e.expression;
    }
    list.push_back(std::move(one));
  }
  return list;
}

nlohmann::ordered_json report_json(const KernelReport& r, bool symbolic) {
  nlohmann::ordered_json document{{"kernel", r.kernel}};
  if (!r.device.empty()) document["device"] = r.device;
  document.update({{"nodes", r.nodes},
                   {"arcs", r.arcs},
                   {"height", r.height},
                   {"instances", r.instances},
                   {"executors", r.executors}});
  document["estimates"] = estimates_json(r.estimates, true, symbolic);
  if (r.occupancy)
    document["occupancy"] = {{"blocks", r.occupancy->blocks},
                             {"warps", r.occupancy->warps},
                             {"limited_by", r.occupancy->limited_by},
                             {"registers", r.resources.registers},
                             {"shared_bytes", r.resources.shared_bytes},
                             {"spill_bytes", r.resources.spill_bytes}};
  if (r.overlap) {
    const auto& d = *r.overlap;
    nlohmann::ordered_json cycles;
    for (const auto& [name, value] : d.cycles_per_block) cycles[name] = value;
    document["overlap"] = {{"launch_s", d.launch_s},
                           {"transient_s", d.transient_s},
                           {"wave_s", d.wave_s},
                           {"waves", d.waves},
                           {"eigenvalue_cycles", d.eigenvalue_cycles},
                           {"cycles_per_block", cycles},
                           {"resident_warps", d.resident_warps},
                           {"warps_to_hide", d.warps_to_hide},
                           {"schedule", d.schedule},
                           {"memory_bytes", std::llround(d.memory_bytes)},
                           {"l2_bytes", std::llround(d.l2_bytes)},
                           {"l1_hit_share", d.l1_hit_share},
                           {"warp_instructions", d.instructions},
                           {"clock_hz", d.clock_hz}};
  }
  document["notes"] = r.notes;
  return document;
}

std::string report_text(const KernelReport& r, bool symbolic) {
  std::string text =
      fmt::format("{}{}{}\n{} nodes, {} arcs, height {}; {} instances on {} executors\n\n", r.kernel,
                  r.device.empty() ? "" : " on ", r.device, base::format_count(r.nodes), base::format_count(r.arcs),
                  base::format_count(r.height), base::format_count(r.instances), base::format_count(r.executors));
  base::TextTable table({"model", "time", symbolic ? "expression" : "bound by"});
  for (const auto& e : r.estimates)
    table.add({e.model, base::format_seconds(e.seconds), symbolic ? e.expression : e.bound_by});
  text += table.text(layout());
  if (r.occupancy)
    text += fmt::format(
        "\n{} blocks ({} warps) per multiprocessor, limited by {}; {} registers a thread, {} shared a block{}\n",
        r.occupancy->blocks, r.overlap ? r.overlap->resident_warps : r.occupancy->warps, r.occupancy->limited_by,
        r.resources.registers, base::format_bytes(static_cast<double>(r.resources.shared_bytes)),
        r.resources.spill_bytes > 0
            ? fmt::format(", {} spilled a thread", base::format_bytes(static_cast<double>(r.resources.spill_bytes)))
            : "");
  if (r.overlap) {
    const auto& d = *r.overlap;
    text += fmt::format("overlapped: launch {} + start-up {} + {} waves of {} at {:.0f} MHz (from the {})\n",
                        base::format_seconds(d.launch_s), base::format_seconds(d.transient_s), d.waves,
                        base::format_seconds(d.wave_s), d.clock_hz / 1e6, d.schedule);
    text += fmt::format(
        "moves {} through memory, {} through the second-level cache; {} of the loads hit the first level\n",
        base::format_bytes(d.memory_bytes), base::format_bytes(d.l2_bytes), base::format_percent(d.l1_hit_share));
    text +=
        fmt::format("{} warps resident, {} would hide the latency of all else\n\n", d.resident_warps, d.warps_to_hide);
    base::TextTable shares({"resource", "cycles a block"});
    for (const auto& [name, cycles] : d.cycles_per_block) shares.add({name, fmt::format("{:.0f}", cycles)});
    text += shares.text(layout());
  }
  text += explain_path(r.graph, r.critical_path);
  for (const auto& note : r.notes) text += "note: " + note + "\n";
  return text;
}

nlohmann::ordered_json table_json(const std::vector<TuningRow>& rows, const TuningReport& report,
                                  const std::string& device) {
  nlohmann::ordered_json document{{"kernel", rows.front().kernel}, {"device", device}};
  auto& list = document["configurations"] = nlohmann::ordered_json::array();
  for (const auto& c : report.configurations) {
    nlohmann::ordered_json one{{"row", c.row}, {"estimates", estimates_json(c.estimates, false, false)}};
    if (c.measured_s) one["measured_s"] = *c.measured_s;
    list.push_back(std::move(one));
  }
  auto& summary = document["summary"] = nlohmann::ordered_json::array();
  for (const auto& s : report.summary)
    summary.push_back({{"model", s.model},
                       {"cases", s.cases},
                       {"mean_error", s.mean_error},
                       {"median_error", s.median_error},
                       {"p90_error", s.p90_error},
                       {"max_error", s.max_error},
                       {"rank_correlation", s.rank_correlation},
                       {"top1_regret", s.top1_regret},
                       {"top5_regret", s.top5_regret}});
  return document;
}

std::string table_text(const std::vector<TuningRow>& rows, const TuningReport& report) {
  // Fastest forecast first, by the last model asked for (overlapped, unless another was chosen).
  auto ranked = report.configurations;
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.estimates.back().seconds < b.estimates.back().seconds;
  });
  base::TextTable table({"row", "configuration", "forecast", "measured"});
  for (const auto& c : ranked) {
    const auto& row = rows[static_cast<std::size_t>(c.row) - 1];
    table.add({std::to_string(c.row), fmt::format("{}", fmt::join(row.defines, " ")),
               base::format_seconds(c.estimates.back().seconds),
               c.measured_s ? base::format_seconds(*c.measured_s) : "-"});
  }
  std::string text = table.text(layout());
  if (!report.summary.empty()) {
    base::TextTable errors(
        {"model", "cases", "mean error", "median", "90 %", "worst", "rank corr.", "first loses", "best of five loses"});
    for (const auto& s : report.summary)
      errors.add({s.model, std::to_string(s.cases), base::format_percent(s.mean_error),
                  base::format_percent(s.median_error), base::format_percent(s.p90_error),
                  base::format_percent(s.max_error), fmt::format("{:.3f}", s.rank_correlation),
                  base::format_percent(s.top1_regret), base::format_percent(s.top5_regret)});
    text += "\n" + errors.text(layout());
  }
  return text;
}

void run_table(const KernelOptions& o, const Globals& globals) {
  const auto times = times_of(o);
  const auto rows = read_tuning_table(o.table);
  ProgressBar bar(globals);
  AnalysisOptions options;
  options.models = o.models;
  const int jobs = globals.threads > 0 ? globals.threads : base::available_cores();
  const auto report = forecast_tuning_space(o.file, rows, times, options, jobs, bar.function());
  Page(o.page, globals)
      .write("Configurations of " + rows.front().kernel, "kernel", table_json(rows, report, times.name));
  if (globals.json) {
    print_json("kernel", table_json(rows, report, times.name));
  } else {
    print(table_text(rows, report));
  }
}

void run_kernel(const KernelOptions& o, const Globals& globals) {
  base::forbid_programs(o.no_run);
  for (const auto& model : o.models)
    if (std::find(kernel_models().begin(), kernel_models().end(), model) == kernel_models().end())
      throw Error(ErrorCode::usage, "--model " + model + ": there is no such model", {},
                  fmt::format("known: {}", fmt::join(kernel_models(), ", ")));
  for (const auto& define : o.defines) check_define(define, "--define");
  if (!o.table.empty()) return run_table(o, globals);
  AnalysisOptions options;
  options.models = o.models;
  options.symbolic = o.symbolic;
  options.matrix_form = o.evaluation == "matrix";
  KernelReport report;
  const std::filesystem::path file(o.file);
  if (file.extension() == ".json") {
    report = analyze_graph(read_graph(file), o.file, options);
  } else {
    const auto times = times_of(o);
    const bool is_file = !file.extension().empty();
    const auto source = is_file ? file : own_kernel_source(o.file);
    const std::string kernel = o.kernel.empty() && !is_file ? o.file : o.kernel;
    if (o.grid.empty() || o.block.empty())
      throw Error(ErrorCode::usage, "how is the kernel launched?", {}, "give --grid and --block");
    report = analyze_code(load_code(source, kernel, o.defines, times.architecture, true), launch_of(o), times, options);
  }
  if (!o.graph.empty()) write_graph(report.graph, report.critical_path, o.graph);
  if (Page page(o.page, globals); page.wanted()) {
    page.add_drawing("Graph of " + report.kernel, drawn_graph(report.graph, report.critical_path));
    page.write("Kernel " + report.kernel, "kernel", report_json(report, o.symbolic));
  }
  if (globals.json)
    print_json("kernel", report_json(report, o.symbolic));
  else
    print(report_text(report, o.symbolic));
}

}  // namespace

void add_kernel(CLI::App& root, const Globals& globals) {
  auto* command = root.add_subcommand("kernel", "time of a GPU kernel from PTX, CUDA or OpenCL C source, or a graph");
  command->footer("A source is given to nvcc or clang, which include what it names; the kernel itself never runs.");
  auto options = std::make_shared<KernelOptions>();
  command
      ->add_option("FILE", options->file,
                   ".ptx, .cu, .cl, a graph (.json), or the name of one of this product's own kernels")
      ->required();
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
  command
      ->add_option("--clock", options->clock_hz,
                   "clock of the device in Hz (default: its table's; the base clock, where it has one, for short work)")
      ->check(CLI::Range(1e6, 1e10));
  command->add_option("--model", options->models, "naive, operations, serialized, overlapped (default: all)");
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
  command->add_flag("--no-run", options->no_run,
                    "start no compiler and no assembler: graphs, and PTX with its own registers");
  command->add_flag("--symbolic", options->symbolic, "prints the expressions; times may stay undefined");
  add_page_option(*command, options->page);
  command->callback([options, &globals] { run_kernel(*options, globals); });
}

}  // namespace sparsecast::app
