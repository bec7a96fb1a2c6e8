// sparsecast traffic: the memory movement of a MATLAB prototype.

#include <sparsecast/answers/traffic.hpp>

#include "app/field_options.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/terminal/terminal.hpp"
#include "base/files.hpp"
#include "base/guard/program_rules.hpp"
#include "base/guard/sandbox.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "fields/answers/traffic.hpp"
#include "fields/json.hpp"
#include "memory_traffic/report/report.hpp"
#include "memory_traffic/run/library.hpp"
#include "memory_traffic/run/run_program.hpp"

namespace sparsecast::app {
namespace {
struct TrafficArguments {
  TrafficRequest request;
  std::string output, html;
  std::vector<std::string> compare;
  bool translate_only = false, library = false, no_run = false, no_sandbox = false;
};

std::string machines_text(const std::vector<TrafficMachine>& ranking) {
  base::TextTable table({"machine", "time", "of the first", "rests on"});
  for (const TrafficMachine& m : ranking)
    table.add({m.device, base::format_seconds(m.seconds),
               ranking.front().seconds > 0 ? fmt::format("{:.2f}", m.seconds / ranking.front().seconds) : "–",
               std::string(to_string(m.tier))});
  return "The outermost regions on every known machine, with all of its cores at work:\n" + table.text(layout());
}

std::string storage_text(const std::vector<TrafficStorage>& all) {
  if (all.empty()) return "No sparse matrix was multiplied by a vector: there is no storage to compare.\n";
  std::string text;
  for (const TrafficStorage& storage : all) {
    base::TextTable table({"storage", "one product", "from", "to", "all products"});
    for (const StorageTime& f : storage.kernels)
      table.add({f.kernel, base::format_seconds(f.seconds), base::format_seconds(f.low_s),
                 base::format_seconds(f.high_s), base::format_seconds(f.seconds * storage.products)});
    text += fmt::format("{}Sparse matrix of {} × {} with {} non-zeros, {} products:\n{}", text.empty() ? "" : "\n",
                        base::format_count(storage.rows), base::format_count(storage.cols),
                        base::format_count(storage.nonzeros),
                        base::format_count(static_cast<std::int64_t>(storage.products)), table.text(layout()));
  }
  return text;
}

TrafficRequest request_of(const TrafficArguments& options, const Globals& globals) {
  TrafficRequest request = options.request;
  request.output = globals.json ? ProgramOutput::standard_error : ProgramOutput::standard_output;
  tell_globals(request, globals);
  return request;
}

void compare_programs(const TrafficArguments& options, const Globals& globals) {
  TrafficCompareRequest request{request_of(options, globals), options.compare[1]};
  request.first.program = options.compare[0];
  const TrafficComparison answer = traffic_compare(request);
  Page page(options.html, globals);
  for (const std::string& program : options.compare) page.add_source(program);
  page.write("Memory movement of " + answer.first.program + " and " + answer.second.program, "traffic-compare",
             fields::written(answer));
  globals.json ? print_json("traffic-compare", fields::written(answer))
               : print(memory_traffic::to_text(answer, layout()));
}

// A program that does not run has no counts: what needs them would be left out without a word.
void check_translation(const TrafficArguments& options, const Globals& globals) {
  if (globals.json || !options.html.empty() || !options.request.machine.empty())
    throw Error(ErrorCode::usage, "a program that is only translated has no counts", {},
                "omit --json, --html and --machine, or run it without --no-run and --translate-only");
}

void translate_program(const TrafficArguments& options) {
  const std::string text = memory_traffic::translate_file(options.request.program).text;
  options.output.empty() || options.output == "-" ? print_data(text)
                                                  : base::write_file_atomically(options.output, text);
}

void traffic_command(const TrafficArguments& options, const Globals& globals) {
  if (!options.request.storage)
    require_double(globals, "without --storage, bytes are counted as Octave has its values,");
  const base::ProgramScope guard({.forbidden = options.no_run, .confined = !options.no_sandbox});
  if (options.library) return print_data(memory_traffic::library_folder().string() + "\n");
  if (!options.compare.empty()) return compare_programs(options, globals);
  if (options.request.program.empty()) throw Error(ErrorCode::usage, "no program", {}, "sparsecast traffic PROGRAM.m");
  if (options.translate_only || options.no_run) {
    check_translation(options, globals);
    return translate_program(options);
  }
  if (!options.output.empty())
    throw Error(ErrorCode::usage, "-o is for the translated program, which is written by --translate-only", {},
                "leave it away, or --html FILE for a page");
  const bool held = base::Sandbox::holds_files();
  if (!options.no_sandbox && !held)
    remark(globals,
           "this system cannot confine the program to its folder: it runs with your full rights, but without network");
  const ProgramTraffic answer = traffic(request_of(options, globals));
  if (!options.no_sandbox && held)
    remark(
        globals,
        "the program ran without network and could write only to its own folder (--no-sandbox: with your full rights)");
  Page page(options.html, globals);
  page.add_source(answer.program);
  for (const RegionTraffic& region : answer.regions) page.add_source(region.file);
  page.write("Memory movement of " + answer.program, "traffic", fields::written(answer));
  if (globals.json) return print_json("traffic", fields::written(answer));
  print(memory_traffic::to_text(answer, layout()) +
        (answer.machines.empty() ? "" : "\n" + machines_text(answer.machines)) +
        (answer.storage ? "\n" + storage_text(*answer.storage) : ""));
}
}  // namespace

void add_traffic(CLI::App& root, const Globals& globals) {
  const auto options = std::make_shared<TrafficArguments>();
  CLI::App* command = root.add_subcommand(
      "traffic",
      "Count the memory movement of a MATLAB prototype before it is written in C++; runs it with GNU Octave");
  FieldOptions add(*command, options->request);
  CLI::Option* program = add.option<&TrafficRequest::program>("program");
  command->add_option("--compare", options->compare, "compare two programs: which regions and lines move more")
      ->expected(2)
      ->excludes(program);
  command->add_flag("--translate-only", options->translate_only, "write the translated program without running it");
  command->add_flag("--no-run", options->no_run, "the same, and an error with --compare: none of your code is run");
  command->add_flag("--no-sandbox", options->no_sandbox,
                    "run it with your full rights: it may write anywhere and use the network");
  command->add_option("-o,--output", options->output, "file for the translated program (default: standard output)");
  add.options<&TrafficRequest::call, &TrafficRequest::machine, &TrafficRequest::measure, &TrafficRequest::storage,
              &TrafficRequest::scopes>();
  command->add_option(
      "--html", options->html,
      "also write a page to this file: the program with its hot lines, with --compare both side by side");
  add.option<&TrafficRequest::time_limit_s>("--time-limit")->check(CLI::PositiveNumber);
  command->add_flag("--library", options->library, "print the folder of the run-time library, for addpath");
  command->footer(
      "The program is translated and runs with GNU Octave. It has no network and, where the system has Landlock, "
      "writes only to its own folder; --no-run only translates.\n" +
      memory_traffic::legend_text());
  command->callback([options, &globals] { traffic_command(*options, globals); });
}
}  // namespace sparsecast::app
