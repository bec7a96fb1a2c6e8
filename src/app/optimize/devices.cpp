#include "app/optimize/devices.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/inputs.hpp"
#include "app/terminal/terminal.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "devices/device.hpp"
#include "plan/devices/row_split.hpp"
#include "plan/devices/split_run.hpp"
#include "plan/run/gain_text.hpp"

namespace sparsecast::app {
namespace {

// With its calibration, or none where it is here and has none; of another machine what is known of it.
planning::SplitDevice split_device(const std::string& name, const std::vector<DeviceProperties>& present,
                                   const Globals& globals) {
  planning::SplitDevice device;
  device.name = name;
  device.here = std::ranges::find(present, name, &DeviceProperties::name) != present.end();
  try {
    device.profile = load_machine(name, {});
  } catch (const Error& error) {
    if (!device.here || name == "host" || error.code() != ErrorCode::failed) throw;
    remark(globals, fmt::format("{} was never calibrated: it is timed on a part of the matrix", name));
  }
  return device;
}

std::string parts_text(const planning::RowSplit& split, const planning::SplitRun* truth) {
  std::vector<std::string> head{"device", "rows", "non-zeros", "kernel", "product", "x and y", "alone"};
  if (truth != nullptr) head.emplace_back("measured");
  base::TextTable table(head);
  for (std::size_t p = 0; p < split.parts.size(); ++p) {
    const planning::SplitPart& part = split.parts[p];
    std::vector<std::string> row{part.device,
                                 base::format_count(part.rows()),
                                 base::format_count(part.nonzeros),
                                 part.rows() > 0 ? part.time.kernel : "–",
                                 base::format_seconds(part.time.product_s),
                                 base::format_seconds(part.time.transfer_s),
                                 base::format_seconds(part.alone.seconds())};
    if (truth != nullptr) row.push_back(base::format_seconds(truth->part_s[p]));
    table.add(row);
  }
  return table.text(layout());
}

std::string split_text(const Matrix& matrix, const planning::RowSplit& split, const planning::SplitRun* truth) {
  std::string text = fmt::format(
      "{}: {} × {}, {} non-zeros, dealt to {} devices\n\n{}\npredicted {}, {} alone {}; {}\n", matrix.name(),
      base::format_count(matrix.rows()), base::format_count(matrix.cols()), base::format_count(matrix.nonzeros()),
      split.parts.size(), parts_text(split, truth), base::format_seconds(split.predicted_s), split.best_alone,
      base::format_seconds(split.best_alone_s), split.reason);
  if (truth != nullptr)
    text += fmt::format("measured: {}, {} alone {}; {} over {} rounds\n", base::format_seconds(truth->seconds),
                        split.best_alone, base::format_seconds(truth->alone_s),
                        planning::gain_text(truth->gain, truth->low, truth->high, "the noise"), truth->rounds);
  return text;
}

nlohmann::ordered_json split_json(const Matrix& matrix, const planning::RowSplit& split,
                                  const planning::SplitRun* truth, const Globals& globals) {
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (std::size_t p = 0; p < split.parts.size(); ++p) {
    const planning::SplitPart& part = split.parts[p];
    devices.push_back({{"name", part.device},
                       {"kind", to_string(part.kind)},
                       {"rests_on", part.rests_on},
                       {"first_row", part.first_row},
                       {"last_row", part.last_row},
                       {"nonzeros", part.nonzeros},
                       {"kernel", part.time.kernel},
                       {"product_s", part.time.product_s},
                       {"transfer_s", part.time.transfer_s},
                       {"alone_s", part.alone.seconds()}});
    if (truth != nullptr) devices.back()["measured_s"] = truth->part_s[p];
  }
  nlohmann::ordered_json out{
      {"matrix",
       {{"name", matrix.name()}, {"rows", matrix.rows()}, {"cols", matrix.cols()}, {"nonzeros", matrix.nonzeros()}}},
      {"precision", globals.precision},
      {"devices", std::move(devices)},
      {"predicted_s", split.predicted_s},
      {"best_alone", {{"device", split.best_alone}, {"seconds", split.best_alone_s}}},
      {"gain", split.gain},
      {"pays", split.pays},
      {"reason", split.reason}};
  if (truth != nullptr)
    out.update({{"measured_s", truth->seconds},
                {"measured_alone_s", truth->alone_s},
                {"measured_gain", truth->gain},
                {"measured_gain_low", truth->low},
                {"measured_gain_high", truth->high},
                {"rounds", truth->rounds},
                {"largest_error", truth->largest_error}});
  return out;
}

}  // namespace

void add_devices_option(CLI::App& command, DevicesArgument& argument) {
  CLI::Option* devices =
      command
          .add_option(
              "--devices", argument.names,
              "deal the rows to these devices, as host,opencl:0: parts by their forecasts, x and y on their way "
              "included, run where all are here, and whether it pays")
          ->delimiter(',')
          ->allow_extra_args(false);
  for (const char* other : {"--device", "--profile", "--model", "--iterations", "--max-blocks", "--strip-rows",
                            "--always-cut", "--reorder", "--save", "--html"})
    devices->excludes(command.get_option(other));
}

void optimize_over_devices(const Matrix& matrix, const DevicesArgument& argument, const Globals& globals) {
  const std::vector<DeviceProperties> present = devices::present_devices().devices;
  std::vector<planning::SplitDevice> dealt_to;
  for (const std::string& name : argument.names) dealt_to.push_back(split_device(name, present, globals));
  const FitOptions fit{globals.value_precision(), base::thread_count(globals.threads), {}};
  const planning::RowSplit split = planning::split_rows(matrix, dealt_to, fit);
  std::optional<planning::SplitRun> truth;
  if (std::ranges::all_of(dealt_to, &planning::SplitDevice::here))
    truth = planning::run_split(matrix, split, fit.precision, fit.threads);
  const planning::SplitRun* run = truth ? &*truth : nullptr;
  if (globals.json) {
    print_json("optimize-devices", split_json(matrix, split, run, globals));
  } else {
    print(split_text(matrix, split, run));
  }
}

}  // namespace sparsecast::app
