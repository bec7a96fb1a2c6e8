// sparsecast calibrate: measures a device once.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "app/commands.hpp"
#include "app/profile_check.hpp"
#include "app/terminal/progress_bar.hpp"
#include "base/threads.hpp"
#include "calibration/calibrate.hpp"

namespace sparsecast::app {
namespace {

struct CalibrateArguments {
  std::string device = "host";
  bool quick = false;
  bool fresh = false;
  bool only_instructions = false;
  double minutes = 0;
};

// The host is measured with all its cores first, which is what is mostly asked for, then with one, then with powers of
// two between; forecasts for the rest lie between those (forecast/thread_counts.hpp).
std::vector<int> thread_settings(const CalibrateArguments& options, const Globals& globals) {
  if (options.device != "host") return {0};
  if (globals.threads > 0) return {globals.threads};
  const int all = base::available_cores();
  std::vector<int> counts = all > 1 ? std::vector{all, 1} : std::vector{1};
  for (int count = 2; count < all; count *= 2) counts.push_back(count);
  return counts;
}

// A description that is damaged is written anew.
void warn_of_changes_since(const calibration::Store& store, const std::string& device, const Globals& globals) try {
  if (const std::optional<Profile> before = store.profile(device)) warn_of_changes(*before, globals);
} catch (const Error& damaged) {
  remark(globals, damaged.reason());
}

void calibrate_device(const CalibrateArguments& options, const Globals& globals) {
  calibration::Store store;
  if (options.fresh) store.forget_profile(options.device);
  // Records of another processor would stand beside the new ones.
  warn_of_changes_since(store, options.device, globals);
  calibration::CalibrationResult total;
  const std::vector<int> counts = thread_settings(options, globals);
  for (const int threads : counts) {
    const std::unique_ptr<devices::Device> device = devices::open_device(options.device, threads);
    calibration::CalibrateOptions calibration;
    calibration.quick = options.quick;
    calibration.few = threads > 1 && threads < counts.front();
    calibration.only_instructions = options.only_instructions;
    calibration.precision = globals.value_precision();
    calibration.max_s = 60 * options.minutes;
    ProgressBar bar(globals);
    calibration.progress = bar.function();
    const calibration::CalibrationResult result = calibrate(*device, store, calibration);
    total.measured += result.measured;
    total.present += result.present;
    total.micro_benchmarks += result.micro_benchmarks;
    if (result.damaged > 0)
      remark(globals, fmt::format("{} damaged rows of the store were removed and measured again", result.damaged));
  }
  if (globals.json) {
    print_json("calibrate", {{"device", options.device},
                             {"precision", globals.precision},
                             {"quick", options.quick},
                             {"measured", total.measured},
                             {"present", total.present},
                             {"micro_benchmarks", total.micro_benchmarks}});
  } else {
    if (!options.only_instructions)
      print(fmt::format("{}: {} records measured now, {} were there\n", options.device, total.measured, total.present));
    if (total.micro_benchmarks > 0)
      print(
          fmt::format("{}: {} micro-benchmarks of instructions and memory; `sparsecast kernel --device {}` uses them\n",
                      options.device, total.micro_benchmarks, options.device));
  }
}

}  // namespace

void add_calibrate(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("calibrate", "Measure a device once; a killed run resumes where it was");
  auto options = std::make_shared<CalibrateArguments>();
  command->add_option("--device", options->device, "host, opencl:N or cuda:N")->capture_default_str();
  command->add_flag("--quick", options->quick, "a first look within a minute");
  command->add_flag("--fresh", options->fresh, "forget what was measured on that device before");
  command->add_flag("--instructions", options->only_instructions,
                    "CUDA devices: measure only instructions and memory, for `sparsecast kernel`");
  command->add_option("--minutes", options->minutes, "begin no new matrix after so many minutes per number of threads")
      ->check(CLI::PositiveNumber);
  command->callback([options, &globals] { calibrate_device(*options, globals); });
}

}  // namespace sparsecast::app
