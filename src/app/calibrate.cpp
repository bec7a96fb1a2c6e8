// sparsecast calibrate: measures a device once.

#include <sparsecast/answers/calibrate.hpp>

#include "app/field_options.hpp"
#include "app/inputs.hpp"
#include "app/terminal/terminal.hpp"
#include "base/fields/json.hpp"

namespace sparsecast::app {
namespace {
void calibrate(CalibrateRequest request, bool complex, const Globals& globals) {
  ProgressBar bar(globals);
  tell_globals(request, globals, &bar);
  if (complex) request.precision = complex_of(request.precision);
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
  FieldOptions add(*command, *request);
  add.options<&CalibrateRequest::device, &CalibrateRequest::quick, &CalibrateRequest::fresh>();
  add.option<&CalibrateRequest::only_instructions>("--instructions");
  add.option<&CalibrateRequest::minutes>()->check(CLI::PositiveNumber);
  auto complex = std::make_shared<bool>(false);
  command->add_flag("--complex", *complex, "products of complex values, with parts in the precision");
  auto paths = std::make_shared<std::vector<std::string>>();
  add.positional<&CalibrateRequest::matrices>("--matrices", *paths);
  command->callback([request, complex, paths, &globals] {
    for (const std::filesystem::path& file : matrix_files(*paths, globals)) request->matrices.emplace_back(file);
    calibrate(*request, *complex, globals);
  });
}
}  // namespace sparsecast::app
