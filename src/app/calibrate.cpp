// sparsecast calibrate: measures a device once.

#include <sparsecast/answers/calibrate.hpp>

#include "app/field_options.hpp"
#include "app/inputs.hpp"
#include "app/terminal/terminal.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "calibration/calibrate.hpp"
#include "calibration/probe.hpp"
#include "calibration/probe_script.hpp"
#include "fields/answers/calibrate.hpp"
#include "fields/json.hpp"

namespace sparsecast::app {
namespace {
void calibrate(CalibrateRequest request, bool complex, const Globals& globals) {
  ProgressBar bar(globals);
  tell_globals(request, globals, &bar);
  if (complex) request.precision = complex_of(request.precision);
  const Calibration done = sparsecast::calibrate(request);
  bar.clear();
  if (globals.json) return print_json("calibrate", fields::written(done));
  if (!request.only_instructions)
    print(fmt::format("{}: {} records measured, {} were already there\n", done.device, done.measured, done.present));
  if (done.matrices > 0) print(fmt::format("{}: {} of your own matrices among them\n", done.device, done.matrices));
  if (done.micro_benchmarks > 0)
    print(fmt::format(
        "{0}: {1} micro-benchmarks of instructions and memory; `sparsecast kernel --device {0}` uses them\n",
        done.device, done.micro_benchmarks));
}

struct ProbeArguments {
  std::string device = "host", output, name;
  std::vector<std::string> matrices;
};

void probe_machine(const ProbeArguments& options, const Globals& globals) {
  const std::unique_ptr<hardware::Device> device = hardware::open_device(options.device, globals.threads);
  ProgressBar bar(globals);
  Profile profile =
      calibration::probe_device(*device, {.precision = globals.value_precision(), .progress = bar.function()});
  if (!options.name.empty()) profile.name = profile.properties.name = options.name;
  write_profile(profile, options.output);
  const DeviceProperties& p = profile.properties;
  if (globals.json)
    return print_json("probe", {{"device", {{"name", p.name}, {"kind", to_string(p.kind)}}},
                                {"output", options.output},
                                {"matrices", profile.matrices.size()},
                                {"records", profile.records.size()},
                                {"memory_bandwidth", p.memory_bandwidth},
                                {"launch_s", p.launch_s}});
  print(
      fmt::format("{}: {} products of {} matrices, reads {}/s, starts in {}; written to {}\n"
                  "`sparsecast predict MATRIX --profile {}` forecasts from it, here or elsewhere\n",
                  p.model, profile.records.size(), profile.matrices.size(), base::format_bytes(p.memory_bandwidth),
                  base::format_seconds(p.launch_s), options.output, options.output));
}
void write_script(const ProbeArguments& options, const Globals& globals) {
  std::vector<Structure> given;
  for (const std::filesystem::path& file : matrix_files(options.matrices, globals))
    given.push_back(answers::structure_of(file, globals.threads, listener_of(globals)));
  const std::vector<calibration::BandMatrix> bands = calibration::bands_like(given);
  base::write_file_atomically(options.output, calibration::probe_script(bands), {.what = "script"});
  if (globals.json) return print_json("probe", {{"output", options.output}, {"matrices", bands.size()}});
  print(fmt::format(
      "run `sh {0}` on the other machine: it times products of {1} matrices there, without Sparsecast; with the file "
      "that it writes, `sparsecast predict MATRIX --device NAME --anchors FILE` forecasts that machine better\n",
      options.output, bands.size()));
}
}  // namespace

void add_calibrate(CLI::App& root, const Globals& globals) {
  CLI::App* command =
      root.add_subcommand("calibrate", "Measure a device once; an interrupted run resumes where it stopped");
  auto request = std::make_shared<CalibrateRequest>();
  FieldOptions add(*command, *request);
  add.options<&CalibrateRequest::device, &CalibrateRequest::quick, &CalibrateRequest::fresh>();
  add.option<&CalibrateRequest::only_instructions>("--instructions");
  add.option<&CalibrateRequest::papers>();
  add.option<&CalibrateRequest::minutes>();
  auto complex = std::make_shared<bool>(false);
  command->add_flag("--complex", *complex,
                    "calibrate products of complex values, whose parts have the precision given");
  auto paths = std::make_shared<std::vector<std::string>>();
  add.positional<&CalibrateRequest::matrices>("--matrices", *paths);
  command->callback([request, complex, paths, &globals] {
    for (const std::filesystem::path& file : matrix_files(*paths, globals)) request->matrices.emplace_back(file);
    calibrate(*request, *complex, globals);
  });
}

// sparsecast probe: twenty seconds on a machine, for forecasts of it anywhere.

void add_probe(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("probe", "Measure a machine for twenty seconds instead of calibrating it");
  auto options = std::make_shared<ProbeArguments>();
  command
      ->add_option("-o,--output", options->output,
                   "file to write: a profile for --profile of other commands; with --for the script")
      ->required();
  command->add_option("--device", options->device, "host, opencl:N or cuda:N")->capture_default_str();
  command->add_option("--name", options->name, "what forecasts call the machine (default: the device's name)");
  command
      ->add_option("--for", options->matrices,
                   "write a shell script instead, which measures what forecasts of these matrices need on a machine "
                   "without Sparsecast")
      ->type_name("MATRIX");
  command->callback([options, &globals] {
    options->matrices.empty() ? probe_machine(*options, globals) : write_script(*options, globals);
  });
}
}  // namespace sparsecast::app
