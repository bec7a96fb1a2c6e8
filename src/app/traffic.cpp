// sparsecast traffic: the memory movement of a MATLAB prototype.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/terminal/terminal.hpp"
#include "app/traffic/machines.hpp"
#include "base/files.hpp"
#include "base/guard/no_run.hpp"
#include "traffic/report/report.hpp"
#include "traffic/run/library.hpp"
#include "traffic/run/machine.hpp"
#include "traffic/run/measured_run.hpp"

namespace sparsecast::app {
namespace {

constexpr const char* all_machines = "all";

struct TrafficOptions {
  std::string program, output, call, machine, html;
  std::vector<std::string> compare;
  bool translate_only = false, library = false, no_run = false, measure = false, storage = false;
  double time_limit_s = 600;
};

// Bandwidth of one thread of a measured host unless more are asked for; a description knows all cores only.
int threads_of(const Profile& machine, const Globals& globals) {
  return machine.tier == Profile().tier ? globals.threads : 0;
}

traffic::ProgramTraffic moved_by(const std::string& program, const TrafficOptions& options, const Globals& globals) {
  traffic::RunOptions run;
  run.call = options.call;
  run.time_limit_s = options.time_limit_s;
  run.output_to_stderr = globals.json;
  run.trace = !options.machine.empty();
  // A missing profile is told before the program runs.
  Profile machine;
  const bool one = run.trace && options.machine != all_machines;
  if (one) machine = traffic_machine(options.machine);
  traffic::ProgramTraffic moved = traffic::run_program(program, run);
  if (!one) return moved;
  traffic::apply_machine(moved, machine, threads_of(machine, globals), product_forecast(machine, globals));
  moved.whole = traffic::whole_of(moved);
  if (options.measure) add_measured(*moved.whole, machine, traffic::measure_program(program, run));
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
  if ((options.measure || options.storage) && (options.machine.empty() || options.machine == all_machines))
    throw Error(ErrorCode::usage, "no machine to compare with", {}, "name one with --machine, as --machine host");
  if (options.translate_only || options.no_run) {
    const traffic::Translation made = traffic::translate_file(options.program);
    return options.output.empty() || options.output == "-" ? print_data(made.text)
                                                           : base::write_file_atomically(options.output, made.text);
  }
  const traffic::ProgramTraffic moved = moved_by(options.program, options, globals);
  Page page(options.html, globals);
  page.add_source(moved.program);
  for (const traffic::RegionTraffic& region : moved.regions) page.add_source(region.file);
  nlohmann::ordered_json document = traffic::to_json(moved);
  std::string text = traffic::to_text(moved, layout());
  if (options.machine == all_machines) {
    const std::vector<TrafficMachine> ranking = rank_traffic(moved, globals);
    document["machines"] = to_json(ranking);
    text += "\n" + to_text(ranking, layout());
  }
  if (options.storage) {
    const auto storage = compare_storage(moved, traffic_machine(options.machine), globals);
    document["storage"] = to_json(storage);
    text += "\n" + to_text(storage, layout());
  }
  page.write("Memory movement of " + moved.program, "traffic", document);
  if (globals.json) return print_json("traffic", document);
  print(text);
}

}  // namespace

void add_traffic(CLI::App& root, const Globals& globals) {
  const auto options = std::make_shared<TrafficOptions>();
  CLI::App* command = root.add_subcommand(
      "traffic", "Memory movement of a MATLAB prototype, before it is written in C++; runs it with GNU Octave");
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
  command->add_option(
      "--machine", options->machine,
      "profile or description (file or name): bytes per cache level, and seconds; all: every machine that "
      "is known, ranked");
  command->add_flag("--measure", options->measure,
                    "with --machine: also run the program as it is and tell its time and, where the processor has "
                    "counters, the bytes that reached each level");
  command->add_flag("--storage", options->storage,
                    "with --machine: forecasts of every storage for the program's sparse matrices");
  command->add_option(
      "--html", options->html,
      "also write a page to this file: the program with its hot lines, with --compare both side by side");
  command->add_option("--time-limit", options->time_limit_s, "seconds that the program may run")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--library", options->library, "print the folder of the run-time library, for addpath");
  command->footer(
      "The program is translated and runs with GNU Octave, as you and with all that it does to files; "
      "--no-run only translates.\n" +
      traffic::legend_text());
  command->callback([options, &globals] { traffic_command(*options, globals); });
}

}  // namespace sparsecast::app
