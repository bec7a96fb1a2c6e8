// sparsecast probe: a minute on a machine, for forecasts of it anywhere.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "app/terminal/progress_bar.hpp"
#include "base/text.hpp"
#include "calibration/probe.hpp"

namespace sparsecast::app {
namespace {
struct ProbeArguments {
  std::string device = "host", output, name;
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
    return print_json("probe", {{"device", device_json(p)},
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
}  // namespace

void add_probe(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("probe", "One minute on a machine instead of a calibration");
  auto options = std::make_shared<ProbeArguments>();
  command->add_option("-o,--output", options->output, "the file to write, for --profile of other commands")->required();
  command->add_option("--device", options->device, "host, opencl:N or cuda:N")->capture_default_str();
  command->add_option("--name", options->name, "what forecasts call the machine (default: the device's name)");
  command->callback([options, &globals] { probe_machine(*options, globals); });
}
}  // namespace sparsecast::app
