// sparsecast calibrate: measures a device once.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sparsecast/answers/calibrate.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "app/terminal/progress_bar.hpp"
#include "base/fields/json.hpp"

namespace sparsecast::app {
namespace {
void calibrate(CalibrateRequest request, const Globals& globals) {
  ProgressBar bar(globals);
  request.precision = globals.value_precision();
  request.threads = globals.threads;
  request.listener = listener_of(globals, &bar);
  const Calibration done = sparsecast::calibrate(request);
  bar.clear();
  if (globals.json) return print_json("calibrate", base::written(done));
  if (!request.only_instructions)
    print(fmt::format("{}: {} records measured now, {} were there\n", done.device, done.measured, done.present));
  if (done.matrices > 0) print(fmt::format("{}: {} matrices of yours among them\n", done.device, done.matrices));
  if (done.micro_benchmarks > 0)
    print(fmt::format(
        "{0}: {1} micro-benchmarks of instructions and memory; `sparsecast kernel --device {0}` uses them\n",
        done.device, done.micro_benchmarks));
}
}  // namespace

void add_calibrate(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("calibrate", "Measure a device once; a killed run resumes where it was");
  auto request = std::make_shared<CalibrateRequest>();
  command->add_option("--device", request->device, "host, opencl:N or cuda:N")->capture_default_str();
  command->add_flag("--quick", request->quick, "a first look within a minute");
  command->add_flag("--fresh", request->fresh, "forget what was measured on that device before");
  command->add_flag("--instructions", request->only_instructions,
                    "CUDA devices: measure only instructions and memory, for `sparsecast kernel`");
  command->add_option("--minutes", request->minutes, "begin no new matrix after so many minutes per number of threads")
      ->check(CLI::PositiveNumber);
  auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option(
      "--matrices", *paths,
      "matrix files or folders of them, to be measured as well: those least like what was measured come "
      "first");
  command->callback([request, paths, &globals] {
    for (const std::filesystem::path& file : matrix_files(*paths, globals)) request->matrices.emplace_back(file);
    calibrate(*request, globals);
  });
}
}  // namespace sparsecast::app
