// sparsecast devices: what can run here, what a device that is not here would be, and whether the kernels are right.

#include <CLI/CLI.hpp>
#include <sparsecast/answers/devices.hpp>
#include <sparsecast/answers/doctor.hpp>

#include "app/inputs.hpp"
#include "app/terminal/terminal.hpp"
#include "base/clock.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "calibration/neighbours.hpp"
#include "calibration/observations.hpp"
#include "fields/answers/devices.hpp"
#include "fields/answers/doctor.hpp"
#include "fields/json.hpp"

namespace sparsecast::app {
namespace {
struct DevicesArguments {
  std::string describe;
  DeviceCheckRequest checked{.device = {}};
  bool check = false, catalogue = false;
};

std::string strips_text(const DeviceProperties& device) {
  std::vector<std::string> words;
  for (const auto& [kernel, rows] : device.strips())
    words.push_back(fmt::format("{} {}", kernel, base::format_count(rows)));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string description(const DeviceProperties& d) {
  std::string text = fmt::format("{}: {}\n", d.name, d.model);
  const auto line = [&](std::string_view what, const std::string& value) {
    text += fmt::format("  {:<16}{}\n", what, value);
  };
  if (!d.aliases.empty()) line("also", fmt::format("{}", fmt::join(d.aliases, ", ")));
  line("vendor", d.vendor);
  if (d.kind == DeviceKind::host) {
    line("cores", base::format_count(d.compute_units) +
                      (d.sockets > 0 ? fmt::format(" in {} socket{}", d.sockets, d.sockets > 1 ? "s" : "") : "") +
                      (d.numa_domains > 1 ? fmt::format(", {} memories", d.numa_domains) : ""));
  } else {
    line("compute units", fmt::format("{} × {} warps of {} = {} threads each", d.compute_units, d.warps_per_unit,
                                      d.warp_size, base::format_count(d.threads_per_unit)));
  }
  line("memory", base::format_bytes(static_cast<double>(d.memory_bytes)) +
                     (d.memory_bandwidth > 0 ? " at " + base::format_bytes(d.memory_bandwidth) + "/s" +
                                                   (d.sources.contains("memory_bandwidth") ? "" : " by the data sheet")
                                             : ""));
  if (d.clock_hz > 0) line("clock", fmt::format("{:.0f} MHz", d.clock_hz / 1e6));
  if (d.vector_bits > 0) line("vectors", fmt::format("{} bits", d.vector_bits));
  if (d.power_w > 0) line("power", fmt::format("{:.0f} W", d.power_w));
  if (d.launch_s > 0) line("launch", base::format_seconds(d.launch_s));
  for (const CacheLevel& cache : d.caches)
    line(fmt::format("L{} cache", cache.level),
         fmt::format("{}, lines of {} bytes, one for {} units",
                     base::format_bytes(static_cast<double>(cache.size_bytes)), cache.line_bytes, cache.shared_by));
  if (!d.driver.empty()) line("driver", d.driver);
  line("strips (rows)", strips_text(d));
  if (!d.source.empty()) line("source", d.source);
  for (const auto& [member, source] : d.sources) line("  " + member + " ", source);
  return text;
}

void describe(const std::string& name, const Globals& globals) {
  const DeviceDescription device = sparsecast::describe({.device = name});
  if (globals.json) return print_json("device", fields::written(device));
  print(base::folded(description(device.properties), layout().width));
}

std::string caches_text(const DeviceProperties& device) {
  std::vector<std::string> sizes;
  for (const CacheLevel& cache : device.caches) {
    const int count = (device.compute_units + cache.shared_by - 1) / std::max(1, cache.shared_by);
    sizes.push_back(base::format_bytes(static_cast<double>(cache.size_bytes) * count));
  }
  return sizes.empty() ? "–" : sizes.back();
}

void catalogue(const Globals& globals) {
  const Catalogue all = sparsecast::catalogue();
  if (globals.json) return print_json("catalogue", fields::written(all));
  base::TextTable table({"name", "kind", "units", "memory", "bandwidth", "last cache", "watts"});
  for (const CatalogueEntry& one : all.devices) {
    const DeviceProperties& device = one.properties;
    table.add({device.name, device.kind == DeviceKind::host ? "CPU" : "GPU", std::to_string(device.compute_units),
               base::format_bytes(static_cast<double>(device.memory_bytes)),
               base::format_bytes(device.memory_bandwidth) + "/s", caches_text(device),
               device.power_w > 0 ? fmt::format("{:.0f}", device.power_w) : "–"});
  }
  print(table.text(layout()) +
        fmt::format("{} machines; `sparsecast devices --describe NAME` shows one of them\n", all.devices.size()));
}

void list(const Globals& globals) {
  const PresentDevices present = sparsecast::devices();
  if (globals.json) return print_json("devices", fields::written(present));
  std::string text;
  for (const PresentDevice& device : present.devices) text += description(device.properties);
  for (const std::string& line : present.missing) text += fmt::format("not present: {}\n", line);
  text += fmt::format("described, for --describe NAME: {}\n", fmt::join(described_devices(), ", "));
  print(base::folded(text, layout().width));
}

std::string check_text(const DeviceCheck& done) {
  base::TextTable table({"kernel", "precision", "cases", "wrong", "largest error"});
  for (const std::string& kernel : done.kernels) {
    for (const auto& [precision, word] : Words<Precision>::table) {
      int cases = 0, bad = 0;
      double error = 0;
      for (const KernelCheck& c : done.checks) {
        if (c.kernel != kernel || c.precision != precision) continue;
        ++cases;
        bad += c.agrees ? 0 : 1;
        error = std::max(error, c.error);
      }
      if (cases > 0)
        table.add({kernel, std::string(word), fmt::format("{}", cases), fmt::format("{}", bad),
                   fmt::format("{:.1e}", error)});
    }
  }
  std::string text = table.text(layout());
  for (const KernelCheck& c : done.checks)
    if (!c.agrees)
      text += fmt::format("wrong: {} ({} bytes a value, {}-bit row pointers) on {}: {}\n", c.kernel,
                          value_bytes(c.precision), c.offset_bits, c.matrix, c.remark);
  return text + fmt::format("{}: {} of {} cases agree with the sequential reference\n", done.device,
                            static_cast<std::int64_t>(done.checks.size()) - done.wrong, done.checks.size());
}

void check(DeviceCheckRequest request, const Globals& globals) {
  tell_globals(request, globals);
  const DeviceCheck done = check_device(request);
  if (globals.json)
    print_json("device-check", fields::written(done));
  else
    print(check_text(done));
  if (done.wrong > 0)
    throw Error(ErrorCode::failed,
                fmt::format("{} of {} cases on {} are wrong", done.wrong, done.checks.size(), done.device), {},
                "update the driver, or omit the kernels named above");
}

std::string calibrated_text(const std::vector<CalibratedDevice>& devices) {
  std::string text;
  for (const CalibratedDevice& one : devices) {
    const bool ahead = one.days >= 1 && one.taken > base::utc_now();
    text += fmt::format("{}{} {} ({} matrices{})", text.empty() ? "" : "; ", one.name,
                        ahead ? one.taken + ", ahead of the clock" : calibration::days_ago(one.days),
                        base::format_count(one.matrices), one.changes.empty() ? "" : "; stale: " + one.changes.front());
  }
  return text.empty() ? "nothing" : text;
}

std::string drift_text(const Diagnosis& d) {
  if (!d.drift)
    return d.calibrated.empty() ? "no calibration to compare with" : "not checked: calibrated within the last hour";
  return fmt::format("products take {:.2f} times as long as when calibrated{}", d.drift->ratio,
                     d.drift->seen ? ", beyond the forecasts' interval" : "");
}

bool calibrated_host(const Diagnosis& d) {
  return std::ranges::find(d.calibrated, "host", &CalibratedDevice::name) != d.calibrated.end();
}

std::string diagnosis_text(const Diagnosis& d) {
  std::string text =
      base::bold(!d.ready             ? "not ready: " + d.why
                 : calibrated_host(d) ? "ready: forecasts of this host are based on its calibration"
                                      : "ready: forecasts of this host are based on shipped models and a probe",
                 layout()) +
      '\n';
  const auto line = [&](std::string_view what, const std::string& value) {
    text += fmt::format("{:<12}{}\n", what, value);
  };
  line("version", fmt::format("sparsecast {}, compiler {}", d.version, d.compiler));
  line("built in",
       fmt::format("{} optional parts, {}", d.parts.size(),
                   d.left_out.empty() ? "none is missing" : fmt::format("without {}", fmt::join(d.left_out, ", "))));
  line("devices", fmt::format("{}, {} cores{}", fmt::join(d.devices, ", "), d.cores,
                              d.fewer_cores.empty() ? "" : " (" + d.fewer_cores + ")"));
  line("calibrated", calibrated_text(d.calibrated));
  line("drift", drift_text(d));
  line("noise", fmt::format("repeats of a product scatter by {} now; load {:.1f} on {} cores",
                            base::format_percent(d.spread), d.load, d.cores));
  line("store", fmt::format("{}: {} product{} remembered, {} damaged row{}{}", d.home, base::format_count(d.remembered),
                            d.remembered == 1 ? "" : "s", d.damaged_rows, d.damaged_rows == 1 ? "" : "s",
                            d.not_remembered.empty() ? "" : "; " + d.not_remembered));
  line("missing", d.missing.empty() ? "nothing" : fmt::format("{}", fmt::join(d.missing, ", ")));
  line("next", fmt::format("{} ({})", d.next, d.why));
  return text;
}
}  // namespace

void add_devices(CLI::App& root, const Globals& globals) {
  auto options = std::make_shared<DevicesArguments>();
  CLI::App* command =
      root.add_subcommand("devices", "list the devices that can run products here, with their strip sizes");
  auto* described = command->add_option("--describe", options->describe,
                                        "describe one machine instead: a name of the catalogue, host, or FILE.json");
  command->add_flag("--catalogue", options->catalogue, "list every machine that has a description, present or not")
      ->excludes(described);
  auto* checked = command->add_flag("--check", options->check, "compare every kernel of --device with the reference");
  auto* named = command->add_option("--device", options->checked.device, "host, opencl:N or cuda:N")->needs(checked);
  command->add_option("--kernels", options->checked.kernels, "check only these, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(checked);
  checked->needs(named)->excludes(described);
  command->callback([options, &globals] {
    if (!options->describe.empty()) return describe(options->describe, globals);
    if (options->catalogue) return catalogue(globals);
    if (options->check) return check(options->checked, globals);
    list(globals);
  });
}

// sparsecast doctor: what is here, how it is, and what to do next, in ten lines.

void add_doctor(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand(
      "doctor", "check what is installed and calibrated, how noisy the machine is and what to do next");
  command->callback([&globals] {
    DoctorRequest request;
    tell_globals(request, globals);
    const Diagnosis found = doctor(request);
    globals.json ? print_json("doctor", fields::written(found))
                 : print(base::folded(diagnosis_text(found), layout().width));
  });
}
}  // namespace sparsecast::app
