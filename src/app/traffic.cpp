// sparsecast traffic: the memory movement of a MATLAB prototype.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "app/commands.hpp"
#include "traffic/library.hpp"
#include "traffic/report.hpp"
#include "traffic/traffic.hpp"

namespace sparsecast::app {
namespace {

struct TrafficOptions {
  std::string program, output, call;
  bool translate_only = false, library = false;
  double time_limit_s = 600;
};

void write_translation(const TrafficOptions& options) {
  const traffic::Translation made = traffic::translate_file(options.program);
  if (options.output.empty() || options.output == "-") return print(made.text);
  std::ofstream out(options.output, std::ios::binary);
  out << made.text;
  out.close();
  if (out.fail()) throw Error(ErrorCode::failed, "cannot write " + options.output, {}, "is the folder there, the disk not full?");
}

void traffic_command(const TrafficOptions& options, const Globals& globals) {
  if (options.library) return print(traffic::library_folder().string() + "\n");
  if (options.program.empty()) throw Error(ErrorCode::usage, "no program", {}, "sparsecast traffic PROGRAM.m");
  if (options.translate_only) return write_translation(options);
  traffic::RunOptions run;
  run.call = options.call;
  run.time_limit_s = options.time_limit_s;
  run.output_to_stderr = globals.json;
  const traffic::ProgramTraffic moved = traffic::run_program(options.program, run);
  if (globals.json) return print_json("traffic", traffic::to_json(moved));
  print(traffic::to_text(moved));
}

}  // namespace

void add_traffic(CLI::App& root, const Globals& globals) {
  const auto options = std::make_shared<TrafficOptions>();
  CLI::App* command = root.add_subcommand("traffic", "Memory movement of a MATLAB prototype, before it is written in C++");
  command->add_option("program", options->program, "annotated MATLAB program");
  command->add_flag("--translate-only", options->translate_only, "write the translated program and do not run it");
  command->add_option("-o,--output", options->output, "file for the translated program (default: standard output)");
  command->add_option("--call", options->call, "how to call a function file, e.g. 'x = cg(1000)'");
  command->add_option("--time-limit", options->time_limit_s, "seconds that the program may run")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--library", options->library, "print the folder of the run-time library, for addpath");
  command->callback([options, &globals] { traffic_command(*options, globals); });
}

}  // namespace sparsecast::app
