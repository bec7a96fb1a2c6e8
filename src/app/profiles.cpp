// sparsecast profiles: what was measured, on which devices, as files to carry elsewhere.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "app/terminal/terminal.hpp"
#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/text.hpp"
#include "calibration/feature_table.hpp"
#include "calibration/profile_json.hpp"
#include "calibration/store.hpp"
#include "devices/properties_json.hpp"

namespace sparsecast::app {
namespace {

nlohmann::ordered_json summary_json(const Profile& profile) {
  return {{"name", profile.name},
          {"device", device_json(profile.properties)},
          {"model", profile.properties.model},
          {"software", profile.software},
          {"taken", profile.taken},
          {"matrices", profile.matrices.size()},
          {"records", profile.records.size()}};
}

void list(const Globals& globals) {
  const calibration::Store store;
  if (const std::int64_t damaged = store.damaged_rows(); damaged > 0)
    complain(fmt::format("{} rows of the store are damaged and left out; `sparsecast calibrate` measures them again",
                         damaged));
  nlohmann::ordered_json profiles = nlohmann::ordered_json::array();
  base::TextTable table({"profile", "device", "records", "matrices", "taken"});
  for (const std::string& name : store.profile_names()) {
    const Profile profile = *store.profile(name);
    profiles.push_back(summary_json(profile));
    table.add({name, profile.properties.model, base::format_count(static_cast<std::int64_t>(profile.records.size())),
               base::format_count(static_cast<std::int64_t>(profile.matrices.size())), profile.taken});
  }
  if (globals.json) {
    print_json("profiles", {{"profiles", std::move(profiles)}});
  } else {
    print(profiles.empty() ? "no profiles yet; `sparsecast calibrate --quick` measures the host\n"
                           : table.text(layout()));
  }
}

// Records by kernel, precision and threads, with the range of their times.
void show(const std::string& name, const Globals& globals) {
  const Profile profile = load_profile(name, std::filesystem::exists(name) ? name : "");
  if (globals.json) {
    nlohmann::ordered_json out = summary_json(profile);
    out["properties"] = devices::properties_to_json(profile.properties);
    out["curves"] = nlohmann::ordered_json::array();
    for (const Curve& curve : profile.curves) out["curves"].push_back(calibration::curve_to_json(curve));
    out["micro_benchmarks"] = nlohmann::ordered_json::array();
    for (const MicroBenchmark& benchmark : profile.micro_benchmarks)
      out["micro_benchmarks"].push_back(calibration::micro_benchmark_to_json(benchmark));
    print_json("profile-summary", out);
    return;
  }
  struct Group {
    std::int64_t records = 0;
    double spread = 0;
  };
  std::map<std::tuple<std::string, std::string_view, int>, Group> groups;
  for (const Record& record : profile.records) {
    Group& group = groups[{record.kernel, to_string(record.precision), record.threads}];
    ++group.records;
    group.spread += record.spread;
  }
  base::TextTable table({"kernel", "precision", "threads", "records", "mean spread"});
  for (const auto& [key, group] : groups)
    table.add({std::get<0>(key), std::string(std::get<1>(key)), std::to_string(std::get<2>(key)),
               base::format_count(group.records),
               base::format_percent(group.spread / static_cast<double>(group.records))});
  base::TextTable curves({"curve", "threads", "from", "to"});
  for (const Curve& curve : profile.curves)
    if (!curve.y.empty())
      curves.add({curve.name, std::to_string(curve.threads), fmt::format("{:.3g}", curve.y.front()),
                  fmt::format("{:.3g}", curve.y.back())});
  print(fmt::format("{}: {}\ntaken {} with {}\n\n{}\n{}", profile.name, profile.properties.model, profile.taken,
                    profile.software, table.text(layout()), curves.text(layout())));
  if (profile.micro_benchmarks.empty()) return;
  base::TextTable operations({"operation", "warps", "cycles a step", "ns a step"});
  for (const MicroBenchmark& b : profile.micro_benchmarks) {
    const auto steps = static_cast<double>(b.longer.steps - b.shorter.steps);
    operations.add({b.name, b.throughput ? "as many as are resident" : "one",
                    fmt::format("{:.2f}", (b.longer.cycles - b.shorter.cycles) / steps),
                    fmt::format("{:.3f}", 1e9 * (b.longer.seconds - b.shorter.seconds) / steps)});
  }
  print("\n" + operations.text(layout()));
}

struct ImportOptions {
  std::string table, name, properties, output;
};

// What is known of the device: the file given, else the shipped description of that name, else nothing.
DeviceProperties properties_for(const ImportOptions& options) {
  if (!options.properties.empty()) {
    const std::string text = base::read_file(options.properties, {.what = "properties"});
    try {
      const auto document = base::parse_json(
          text, {options.properties, "`sparsecast devices --describe NAME --json` shows what properties look like"});
      // The properties alone, or the document that `devices --describe NAME --json` prints.
      const auto inside = document.is_object() ? document.find("properties") : document.end();
      return devices::properties_from_json(inside != document.end() ? *inside : document, options.properties);
    } catch (const nlohmann::ordered_json::exception& wrong) {
      throw Error(ErrorCode::bad_input, std::string("not JSON: ") + wrong.what(), {options.properties},
                  "`sparsecast devices --describe NAME --json` shows what properties look like");
    }
  }
  const std::vector<std::string> described = described_devices();
  // A table tells too little of its matrices for a host's models: a processor's is taken like any other device's.
  if (std::ranges::find(described, options.name) != described.end())
    if (DeviceProperties device = describe_device(options.name); device.kind != DeviceKind::host) return device;
  DeviceProperties properties;
  properties.name = properties.model = options.name;
  properties.kind =
      DeviceKind::cuda;  // measured times alone do not tell; nothing but the host differs in the forecasts
  return properties;
}

void import(const ImportOptions& options, const Globals& globals) {
  DeviceProperties properties = properties_for(options);
  if (properties.kind == DeviceKind::host)
    throw Error(ErrorCode::usage, "a host's profile is measured, not imported", {}, "run `sparsecast calibrate`");
  const std::vector<calibration::FeatureRecord> records = calibration::read_feature_table(options.table, true);
  Profile profile =
      calibration::profile_from_records(records, options.name, std::move(properties), globals.value_precision());
  profile.software = "imported from " + std::filesystem::path(options.table).filename().string();
  profile.taken = base::utc_now();
  write_profile(profile, options.output);
  remark(globals, fmt::format("{}: {} records of {} matrices written to {}", options.name, profile.records.size(),
                              profile.matrices.size(), options.output));
}

}  // namespace

void add_profiles(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("profiles", "What was measured, and on which devices");
  command->require_subcommand(1);
  command->fallthrough();
  command->add_subcommand("list", "the profiles in the store")->callback([&globals] { list(globals); });

  auto name = std::make_shared<std::string>();
  CLI::App* show_command = command->add_subcommand("show", "what one profile holds");
  show_command->add_option("NAME", *name, "a profile's name or file")->required();
  show_command->callback([name, &globals] { show(*name, globals); });

  auto file = std::make_shared<std::string>();
  CLI::App* export_command = command->add_subcommand("export", "write a profile to a file");
  export_command->add_option("NAME", *name, "a profile's name")->required();
  export_command->add_option("-o,--output", *file, "the file to write")->required();
  export_command->callback([name, file, &globals] {
    const Profile profile = load_profile(*name, {});
    write_profile(profile, *file);
    remark(globals, fmt::format("{}: {} records written to {}", *name, profile.records.size(), *file));
  });

  auto options = std::make_shared<ImportOptions>();
  CLI::App* import_command = command->add_subcommand("import", "a profile from a table of times measured anywhere");
  import_command
      ->add_option("TABLE", options->table,
                   "tab-separated table (.tsv, .tsv.gz): matrix, rows, nonzeros, kernel, seconds, features")
      ->required();
  import_command->add_option("--name", options->name, "name of the device")->required();
  import_command->add_option("--properties", options->properties,
                             "what is known of the device (JSON), as `devices --describe NAME --json` prints it");
  import_command->add_option("-o,--output", options->output, "the profile to write")->required();
  import_command->callback([options, &globals] { import(*options, globals); });
}

}  // namespace sparsecast::app
