// sparsecast traffic: the memory movement of a MATLAB prototype.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/terminal/terminal.hpp"
#include "base/files.hpp"
#include "base/guard/no_run.hpp"
#include "forecast/model_set.hpp"
#include "formats/kernels.hpp"
#include "traffic/report/report.hpp"
#include "traffic/run/library.hpp"
#include "traffic/run/machine.hpp"

namespace sparsecast::app {
namespace {

struct TrafficOptions {
  std::string program, output, call, machine, html;
  std::vector<std::string> compare;
  bool translate_only = false, library = false, no_run = false;
  double time_limit_s = 600;
};

// Forecasts of CSR products by the models; without a forecast where the profile holds no records for them.
traffic::ProductForecast product_forecast(const Profile& machine, const Globals& globals) {
  const std::vector<std::string> measured = forecast::kernels_of(machine);
  std::vector<std::string> kernels;
  int first_choice = 0;
  for (const formats::KernelInfo& kernel : formats::kernel_table())
    if (kernel.choice > 0 && (first_choice == 0 || kernel.choice < first_choice) &&
        std::ranges::find(measured, kernel.name) != measured.end()) {
      first_choice = kernel.choice;
      kernels = {std::string(kernel.name)};
    }
  if (kernels.empty()) return {};
  std::shared_ptr<const forecast::ModelSet> models;
  try {
    models = std::make_shared<forecast::ModelSet>("best", machine, fit_options(machine, globals));
  } catch (const Error& error) {
    remark(globals, "sparse products by bandwidth alone: " + error.reason());
    return {};
  }
  return [models, kernels](const Structure& structure) -> std::optional<double> {
    const std::vector<Forecast> forecasts = models->best(structure, kernels);
    return forecasts.empty() ? std::optional<double>() : forecasts.front().seconds;
  };
}

traffic::ProgramTraffic moved_by(const std::string& program, const TrafficOptions& options, const Globals& globals) {
  traffic::RunOptions run;
  run.call = options.call;
  run.time_limit_s = options.time_limit_s;
  run.output_to_stderr = globals.json;
  run.trace = !options.machine.empty();
  // A missing profile is told before the program runs.
  Profile machine;
  if (run.trace) {
    const bool file = std::filesystem::exists(options.machine);
    machine = load_profile(file ? "" : options.machine, file ? options.machine : "");
  }
  traffic::ProgramTraffic moved = traffic::run_program(program, run);
  if (run.trace) traffic::apply_machine(moved, machine, globals.threads, product_forecast(machine, globals));
  return moved;
}

void compare_programs(const TrafficOptions& options, const Globals& globals) {
  const traffic::ProgramTraffic first = moved_by(options.compare[0], options, globals),
                                second = moved_by(options.compare[1], options, globals);
  const traffic::Comparison comparison = traffic::compare(first, second);
  Page page(options.html, globals);
  for (const std::string& program : options.compare) page.add_source(program);
  page.write("Memory movement of " + first.program + " and " + second.program, "traffic-compare",
             traffic::to_json(first, second, comparison));
  if (globals.json) return print_json("traffic-compare", traffic::to_json(first, second, comparison));
  print(traffic::to_text(first, second, comparison, layout()));
}

void traffic_command(const TrafficOptions& options, const Globals& globals) {
  base::forbid_programs(options.no_run);
  if (options.library) return print_data(traffic::library_folder().string() + "\n");
  if (!options.compare.empty()) return compare_programs(options, globals);
  if (options.program.empty()) throw Error(ErrorCode::usage, "no program", {}, "sparsecast traffic PROGRAM.m");
  if (options.translate_only || options.no_run) {
    const traffic::Translation made = traffic::translate_file(options.program);
    return options.output.empty() || options.output == "-" ? print_data(made.text)
                                                           : base::write_file_atomically(options.output, made.text);
  }
  const traffic::ProgramTraffic moved = moved_by(options.program, options, globals);
  Page page(options.html, globals);
  page.add_source(moved.program);
  for (const traffic::RegionTraffic& region : moved.regions) page.add_source(region.file);
  page.write("Memory movement of " + moved.program, "traffic", traffic::to_json(moved));
  if (globals.json) return print_json("traffic", traffic::to_json(moved));
  print(traffic::to_text(moved, layout()));
}

}  // namespace

void add_traffic(CLI::App& root, const Globals& globals) {
  const auto options = std::make_shared<TrafficOptions>();
  CLI::App* command =
      root.add_subcommand("traffic", "Memory movement of a MATLAB prototype, before it is written in C++");
  command->footer(
      "The program, what it calls and the text of --call are run by GNU Octave with your rights: look at a program of "
      "others first. --no-run translates alone.");
  CLI::Option* program = command->add_option("program", options->program, "annotated MATLAB program");
  command->add_option("--compare", options->compare, "two programs: which regions and lines move more")
      ->expected(2)
      ->excludes(program);
  command->add_flag("--translate-only", options->translate_only, "write the translated program and do not run it");
  command->add_flag("--no-run", options->no_run, "the same, and with --compare an error: nothing of yours is run");
  command->add_option("-o,--output", options->output, "file for the translated program (default: standard output)");
  command->add_option("--call", options->call, "how to call a function file, e.g. 'x = cg(1000)'");
  command->add_option("--machine", options->machine, "profile (file or name): bytes per cache level, and seconds");
  command->add_option(
      "--html", options->html,
      "also write a page to this file: the program with its hot lines, with --compare both side by side");
  command->add_option("--time-limit", options->time_limit_s, "seconds that the program may run")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--library", options->library, "print the folder of the run-time library, for addpath");
  command->callback([options, &globals] { traffic_command(*options, globals); });
}

}  // namespace sparsecast::app
