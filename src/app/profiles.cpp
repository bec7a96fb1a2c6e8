// sparsecast profiles: what was measured, on which devices, as files to carry elsewhere.

#include <CLI/CLI.hpp>
#include <sparsecast/answers/profiles.hpp>

#include "app/inputs.hpp"
#include "app/terminal/terminal.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "fields/answers/profiles.hpp"
#include "fields/json.hpp"

namespace sparsecast::app {
namespace {
void list(const Globals& globals) {
  const ProfileList list = sparsecast::profiles({.listener = listener_of(globals)});
  if (globals.json) return print_json("profiles", fields::written(list));
  base::TextTable table({"profile", "device", "records", "matrices", "taken"});
  for (const ProfileSummary& one : list.profiles)
    table.add({one.name, one.model, base::format_count(one.records), base::format_count(one.matrices), one.taken});
  print(list.profiles.empty() ? "no profiles yet; `sparsecast calibrate --quick` measures the host\n"
                              : table.text(layout()));
}

std::string operations_text(const ProfileContents& profile) {
  if (profile.micro_benchmarks.empty()) return {};
  base::TextTable operations({"operation", "warps", "cycles a step", "ns a step"});
  for (const MicroBenchmark& b : profile.micro_benchmarks) {
    const auto steps = static_cast<double>(b.longer.steps - b.shorter.steps);
    operations.add({b.name, b.throughput ? "as many as are resident" : "one",
                    fmt::format("{:.2f}", (b.longer.cycles - b.shorter.cycles) / steps),
                    fmt::format("{:.3f}", 1e9 * (b.longer.seconds - b.shorter.seconds) / steps)});
  }
  return "\n" + operations.text(layout());
}

// Records by kernel, precision and threads, with the range of their times.
void show(const std::string& name, const Globals& globals) {
  const ProfileContents profile = profile_contents({.profile = name, .listener = listener_of(globals)});
  if (globals.json) return print_json("profile-summary", fields::written(profile));
  base::TextTable table({"kernel", "precision", "threads", "records", "mean spread"});
  for (const RecordGroup& group : profile.groups)
    table.add({group.kernel, std::string(to_string(group.precision)), std::to_string(group.threads),
               base::format_count(group.records), base::format_percent(group.mean_spread)});
  base::TextTable curves({"curve", "threads", "from", "to"});
  for (const Curve& curve : profile.curves)
    if (!curve.y.empty())
      curves.add({curve.name, std::to_string(curve.threads), fmt::format("{:.3g}", curve.y.front()),
                  fmt::format("{:.3g}", curve.y.back())});
  const ProfileSummary& head = profile.summary;
  print(fmt::format("{}: {}\ntaken {} with {}\n\n{}\n{}{}", head.name, head.model, head.taken, head.software,
                    table.text(layout()), curves.text(layout()), operations_text(profile)));
}

void show_observations(ObservationsRequest request, const Globals& globals) {
  request.listener = listener_of(globals);
  const ObservedProducts seen = observations(request);
  if (globals.json) return print_json("observations", fields::written(seen));
  base::TextTable table({"matrix", "kernel", "threads", "measured", "forecast", "taken"});
  for (const ObservedProduct& one : seen.observations)
    table.add({one.matrix, one.kernel, one.threads > 0 ? std::to_string(one.threads) : one.device,
               base::format_seconds(one.seconds), one.forecast_s > 0 ? base::format_seconds(one.forecast_s) : "–",
               one.taken});
  print(seen.observations.empty()
            ? "no matrix of yours was measured yet; `sparsecast plan MATRIX --trials auto` measures one\n"
            : table.text(layout()));
  if (request.forget) remark(globals, fmt::format("{} observations forgotten", seen.observations.size()));
}

void show_constants(const Globals& globals) {
  const ConstantList all = all_constants();
  if (globals.json) return print_json("constants", fields::written(all));
  base::TextTable table({"constant", "value", "unit", "kind", "source"});
  for (const Constant& one : all.constants)
    table.add(
        {one.name, fmt::format("{:g}", one.value) + (one.values.empty() ? "" : ", …"), one.unit, one.kind, one.source});
  print(table.text(layout()));
}

void import(ImportRequest request, const Globals& globals) {
  tell_globals(request, globals);
  const ProfileSummary made = import_profile(request);
  remark(globals, fmt::format("{}: {} records of {} matrices written to {}", made.name, made.records, made.matrices,
                              request.file.string()));
}
}  // namespace

void add_profiles(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("profiles", "Show what was measured, and on which devices");
  command->require_subcommand(1);
  command->fallthrough();
  command->add_subcommand("list", "list the profiles in the store")->callback([&globals] { list(globals); });

  auto name = std::make_shared<std::string>();
  CLI::App* show_command = command->add_subcommand("show", "show what one profile holds");
  show_command->add_option("NAME", *name, "a profile's name or file")->required();
  show_command->callback([name, &globals] { show(*name, globals); });

  command->add_subcommand("constants", "list the numbers that every forecast is based on, and where they come from")
      ->callback([&globals] { show_constants(globals); });

  auto seen = std::make_shared<ObservationsRequest>();
  CLI::App* observations_command = command->add_subcommand(
      "observations", "list what was measured on your matrices, on which their forecasts are based");
  observations_command->add_option("--export", seen->export_to, "also write them to this file");
  observations_command->add_option("--import", seen->import_from, "add the measurements of such a file");
  observations_command->add_flag("--forget", seen->forget, "afterwards forget all of them");
  observations_command->callback([seen, &globals] { show_observations(*seen, globals); });

  auto out = std::make_shared<ExportRequest>();
  CLI::App* export_command = command->add_subcommand("export", "write a profile to a file");
  export_command->add_option("NAME", out->profile, "a profile's name")->required();
  export_command->add_option("-o,--output", out->file, "the file to write")->required();
  export_command->callback([out, &globals] {
    out->listener = listener_of(globals);
    const ProfileSummary written = export_profile(*out);
    remark(globals, fmt::format("{}: {} records written to {}", out->profile, written.records, out->file.string()));
  });

  auto options = std::make_shared<ImportRequest>();
  CLI::App* import_command =
      command->add_subcommand("import", "make a profile from a table of times measured anywhere");
  import_command
      ->add_option(
          "TABLE", options->table,
          "separated by tabs or commas: matrix, kernel, seconds and rows, nonzeros, features, or the matrix as "
          "a file or ss:GROUP/NAME; or what Ginkgo's benchmark of products wrote (.json)")
      ->required();
  import_command->add_option("--name", options->name, "name of the profile")->required();
  import_command->add_option("--device", options->device,
                             "the GPU of the catalogue that was measured: forecasts learn from its table");
  import_command->add_option("--unit", options->unit,
                             "unit of the times: s or ns (default: s for tables; JSON files name theirs)");
  import_command->add_option("--properties", options->properties,
                             "properties of the device (JSON), as `devices --describe NAME --json` prints them");
  import_command->add_option("-o,--output", options->file, "the profile to write")->required();
  import_command->callback([options, &globals] { import(*options, globals); });
}
}  // namespace sparsecast::app
