// sparsecast doctor: what is here, how it is, and what to do next, in ten lines.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sparsecast/answers/doctor.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "app/terminal/terminal.hpp"
#include "base/fields/json.hpp"
#include "base/text.hpp"
#include "calibration/observations.hpp"

namespace sparsecast::app {
namespace {
std::string calibrated_text(const std::vector<CalibratedDevice>& devices) {
  std::string text;
  for (const CalibratedDevice& one : devices)
    text += fmt::format("{}{} {} ({} matrices{})", text.empty() ? "" : "; ", one.name, calibration::days_ago(one.days),
                        base::format_count(one.matrices), one.changes.empty() ? "" : "; stale: " + one.changes.front());
  return text.empty() ? "nothing" : text;
}

std::string drift_text(const Diagnosis& d) {
  if (!d.drift) return d.calibrated.empty() ? "nothing to drift from" : "not looked at, calibrated within the hour";
  return fmt::format("products take {:.2f} times as long as when calibrated{}", d.drift->ratio,
                     d.drift->seen ? ", beyond the forecasts' interval" : "");
}

std::string diagnosis_text(const Diagnosis& d) {
  std::string text =
      base::bold(d.ready ? "ready: forecasts of this host rest on its calibration" : "not ready: " + d.why, layout()) +
      '\n';
  const auto line = [&](std::string_view what, const std::string& value) {
    text += fmt::format("{:<12}{}\n", what, value);
  };
  line("version", fmt::format("sparsecast {}, compiler {}", d.version, d.compiler));
  line("built in",
       fmt::format("{} optional parts, {}", d.parts.size(),
                   d.left_out.empty() ? "none left out" : fmt::format("without {}", fmt::join(d.left_out, ", "))));
  line("devices", fmt::format("{}, {} cores", fmt::join(d.devices, ", "), d.cores));
  line("calibrated", calibrated_text(d.calibrated));
  line("drift", drift_text(d));
  line("noise", fmt::format("repeats of a product scatter by {} now; load {:.1f} on {} cores",
                            base::format_percent(d.spread), d.load, d.cores));
  line("store", fmt::format("{}: {} products remembered, {} damaged rows", d.home, base::format_count(d.remembered),
                            d.damaged_rows));
  line("missing", d.missing.empty() ? "nothing" : fmt::format("{}", fmt::join(d.missing, ", ")));
  line("next", fmt::format("{} ({})", d.next, d.why));
  return text;
}
}  // namespace

void add_doctor(CLI::App& root, const Globals& globals) {
  CLI::App* command =
      root.add_subcommand("doctor", "what is installed and calibrated, how noisy it is, what to do next");
  command->callback([&globals] {
    DoctorRequest request;
    tell_globals(request, globals);
    const Diagnosis found = doctor(request);
    globals.json ? print_json("doctor", base::written(found))
                 : print(base::folded(diagnosis_text(found), layout().width));
  });
}
}  // namespace sparsecast::app
