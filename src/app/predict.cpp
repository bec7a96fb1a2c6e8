// sparsecast predict: how long each kernel will take on a matrix, and which to use.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>
#include <sparsecast/recommend.hpp>

#include "app/commands.hpp"
#include "app/conversion_columns.hpp"
#include "app/inputs.hpp"
#include "app/profile_check.hpp"
#include "app/task_options.hpp"
#include "base/curve.hpp"
#include "base/text.hpp"
#include "calibration/feature_table.hpp"
#include "forecast/model_set.hpp"
#include "forecast/task_forecast.hpp"
#include "formats/kernels.hpp"
#include "matrix/structure/structure_json.hpp"

namespace sparsecast::app {
namespace {

struct PredictArguments {
  std::vector<std::string> matrices;
  std::string device = "host";
  std::string profile;
  std::string records;
  std::string model = "best";
  std::int64_t iterations = 0;
  bool no_probe = false;
  devices::ProductTask task;
};

struct Prediction {
  Structure structure;
  std::vector<Forecast> forecasts;
  Recommendation recommended;
};

nlohmann::ordered_json forecast_json(const Forecast& forecast, std::int64_t iterations) {
  nlohmann::ordered_json out{{"kernel", forecast.kernel},
                             {"model", forecast.model},
                             {"seconds", forecast.seconds},
                             {"low_s", forecast.low_s},
                             {"high_s", forecast.high_s},
                             {"gflops", forecast.gflops},
                             {"bytes", or_null(forecast.bytes)},
                             {"preprocess_s", or_null(forecast.preprocess_s)},
                             {"preprocess_low_s", or_null(forecast.preprocess_low_s)},
                             {"preprocess_high_s", or_null(forecast.preprocess_high_s)},
                             {"extrapolated", forecast.extrapolated},
                             {"records_precision", to_string(forecast.records_precision)},
                             {"tier", forecast.tier}};
  if (!forecast.bound_by.empty()) out["bound_by"] = forecast.bound_by;
  if (iterations > 0) out["total_s"] = or_null(total_seconds(forecast, iterations));
  if (!forecast.parts.empty()) {
    out["parts"] = nlohmann::ordered_json::array();
    for (const ForecastPart& part : forecast.parts)
      out["parts"].push_back({{"name", part.name}, {"seconds", part.seconds}, {"bytes", part.bytes}});
  }
  return out;
}

nlohmann::ordered_json prediction_json(const Prediction& prediction, const Profile& profile,
                                       const PredictArguments& options, const std::optional<forecast::Drift>& drift,
                                       const Globals& globals) {
  nlohmann::ordered_json out{{"matrix", matrix_json(prediction.structure)},
                             {"device", device_json(profile.properties)},
                             {"precision", globals.precision}};
  add_task(out, options.task);
  out["forecasts"] = nlohmann::ordered_json::array();
  for (const Forecast& forecast : prediction.forecasts)
    out["forecasts"].push_back(forecast_json(forecast, options.iterations));
  out["recommended"] = {{"kernel", prediction.recommended.kernel},
                        {"seconds", prediction.recommended.seconds},
                        {"reason", prediction.recommended.reason}};
  out["drift"] = drift_json(drift);
  return out;
}

// Bytes/s that the device reads of so large a footprint: measured where its profile has the curve, else as described.
double read_rate(const Profile& profile, int threads, double footprint_bytes) {
  const Curve* curve = profile.curve("read_bandwidth", threads);
  return curve != nullptr && base::usable(*curve) ? base::value_at(*curve, footprint_bytes)
                                                  : profile.properties.memory_bandwidth;
}

// Where the recommended kernel's time goes, and how near its stream of values and indices, which no kernel can avoid,
// comes to what the device reads at best.
std::string explanation_text(const Prediction& prediction, const Profile& profile, int threads) {
  const auto chosen = std::ranges::find(prediction.forecasts, prediction.recommended.kernel, &Forecast::kernel);
  if (chosen == prediction.forecasts.end() || chosen->parts.empty()) return {};
  base::TextTable table({"time of " + chosen->kernel, "", "share", "moves"});
  double streamed = 0;
  for (const ForecastPart& part : chosen->parts) {
    table.add({part.name, base::format_seconds(part.seconds), base::format_percent(part.seconds / chosen->seconds),
               part.bytes > 0 ? base::format_bytes(part.bytes) : "–"});
    if (part.name == "stream") streamed += part.bytes;
  }
  if (streamed <= 0) return "\n" + table.text();
  const double rate = streamed / chosen->seconds, most = read_rate(profile, threads, streamed);
  const std::string against =
      most > 0 ? fmt::format(", {} of what this device reads of so many bytes", base::format_percent(rate / most)) : "";
  return fmt::format("\n{}streams {}/s{}\n", table.text(), base::format_bytes(rate), against);
}

// Where no conversion is known although there are some: the command that measures them.
std::string unknown_conversions_text(const Prediction& prediction, const Profile& profile) {
  const auto known = [](const Forecast& f) { return f.preprocess_s.value_or(0) > 0; };
  if (std::ranges::any_of(prediction.forecasts, known) ||
      std::ranges::all_of(prediction.forecasts, [](const Forecast& f) { return f.preprocess_s.has_value(); }))
    return {};
  return profile.taken.empty() ? "\nwhat conversions take is not known: the profile's table does not tell\n"
                               : fmt::format(
                                     "\nwhat conversions take is not known: run `sparsecast calibrate --device "
                                     "{}`, which measures what is missing\n",
                                     profile.name);
}

// Forms that the matrix has the structure for and that the profile, older than they are, knows nothing of.
std::string uncalibrated_text(const Structure& structure, const Profile& profile, const Globals& globals) {
  if (profile.properties.kind != DeviceKind::host || profile.tier != Profile().tier) return {};
  const FitOptions from = forecast::records_for(profile, fit_options(profile, globals));
  std::string names;
  for (const formats::KernelInfo& kernel : formats::kernel_table()) {
    const auto is_of_it = [&](const Record& record) {
      return record.kernel == kernel.name && record.precision == from.precision && record.threads == from.threads;
    };
    if (!kernel.on_host || kernel.refusal == nullptr || !kernel.refusal(structure).empty() ||
        std::ranges::any_of(profile.records, is_of_it))
      continue;
    names += (names.empty() ? "" : ", ") + std::string(kernel.name);
  }
  return names.empty() ? names
                       : fmt::format("not forecast: {}; the profile has no records of them, calibrate again\n", names);
}

// Where little or nothing was measured, the reader is told at once.
std::string tier_text(const Profile& profile) {
  if (profile.tier == "probe") return ", by a probe of it";
  if (profile.tier == "data sheet") return ",\nby its data sheet: nothing was measured there";
  return {};
}

std::string prediction_text(const Prediction& prediction, const Profile& profile, const PredictArguments& options,
                            const Globals& globals) {
  const Structure& s = prediction.structure;
  std::vector<std::string> head{"kernel", "forecast", "90 % interval", "GFLOP/s", "storage", "conversion"};
  if (options.iterations > 0) head.push_back(total_heading(options.iterations));
  head.insert(head.end(), {"model", ""});
  base::TextTable table(head);
  for (const Forecast& f : prediction.forecasts) {
    std::vector<std::string> row{f.kernel,
                                 base::format_seconds(f.seconds),
                                 base::format_seconds(f.low_s) + " – " + base::format_seconds(f.high_s),
                                 fmt::format("{:.2f}", f.gflops),
                                 f.bytes ? base::format_bytes(static_cast<double>(*f.bytes)) : "?",
                                 seconds_text(f.preprocess_s)};
    if (options.iterations > 0) row.push_back(seconds_text(total_seconds(f, options.iterations)));
    row.insert(row.end(), {f.model, f.extrapolated ? "extrapolated" : ""});
    table.add(row);
  }
  const std::string from = other_precision_text(profile, fit_options(profile, globals));
  return fmt::format(
      "{}: {} × {}, {} non-zeros, on {} in {} precision{}{}\n{}\n{}{}{}{}\nuse {}: {}\n", s.name,
      base::format_count(s.rows), base::format_count(s.cols), base::format_count(s.nonzeros), profile.name,
      globals.precision, task_text(options.task), tier_text(profile), from.empty() ? from : from + '\n', table.text(),
      uncalibrated_text(s, profile, globals), explanation_text(prediction, profile, threads_for(profile, globals)),
      unknown_conversions_text(prediction, profile),
      prediction.recommended.kernel.empty() ? "nothing" : prediction.recommended.kernel, prediction.recommended.reason);
}

// The matrices meant: files, structures of matrices that are elsewhere, or the rows of a table of features (one per
// matrix, whatever else the table holds).
std::vector<Structure> structures_of(const PredictArguments& options, const Globals& globals) {
  std::vector<Structure> structures;
  for (const auto& file : matrix_files(options.matrices))
    structures.push_back(file.extension() == ".json" ? matrix::read_structure(file)
                                                     : analyze(input_matrix(file), globals.threads));
  if (!options.records.empty()) {
    std::set<std::string> seen;
    for (calibration::FeatureRecord& record : calibration::read_feature_table(options.records, false))
      if (seen.insert(record.structure.name).second) structures.push_back(std::move(record.structure));
  }
  if (structures.empty())
    throw Error(ErrorCode::usage, "nothing to forecast", {},
                "name a matrix file, or a table of features with --records");
  return structures;
}

void predict(const PredictArguments& options, const Globals& globals) {
  std::vector<Structure> structures = structures_of(options, globals);
  const Profile profile = load_machine(options.device, options.profile);
  for (const Structure& structure : structures) forecast::require_row_lengths(structure, profile);
  const std::optional<forecast::Drift> drift =
      options.profile.empty() ? check_profile(profile, !options.no_probe, globals) : std::nullopt;
  const FitOptions fit = fit_options(profile, globals);
  const forecast::TaskForecast task(profile, fit, options.task);
  const forecast::ModelSet models(options.model, profile, fit);
  const std::vector<std::string> kernels = forecast::kernels_of(profile);
  nlohmann::ordered_json documents = nlohmann::ordered_json::array();
  for (Structure& structure : structures) {
    Prediction prediction;
    prediction.structure = std::move(structure);
    const Structure& s = prediction.structure;
    const bool all = options.model == "all";
    prediction.forecasts = task.of(all ? models.all(s, kernels) : models.best(s, kernels), s);
    prediction.recommended =
        recommend(all ? task.of(models.best(s, kernels), s) : prediction.forecasts, options.iterations);
    if (options.iterations > 0)
      std::ranges::stable_sort(prediction.forecasts, {}, [&](const Forecast& forecast) {
        return total_seconds(forecast, options.iterations).value_or(std::numeric_limits<double>::infinity());
      });
    if (globals.json) {
      documents.push_back(prediction_json(prediction, profile, options, drift, globals));
    } else {
      print(prediction_text(prediction, profile, options, globals));
    }
  }
  if (!globals.json) return;
  // One matrix is the document itself; several stand in a list.
  if (documents.size() == 1) {
    print_json("predict", documents[0]);
  } else {
    print_json("predictions", {{"predictions", std::move(documents)}});
  }
}

}  // namespace

void add_predict(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("predict", "Forecast of every kernel, the recommended one, and why");
  auto options = std::make_shared<PredictArguments>();
  command->add_option("MATRIX", options->matrices,
                      "matrix files, folders of them, or structures (.json) as `info --json` prints them");
  command
      ->add_option("--device", options->device,
                   "host, opencl:N, cuda:N, a profile's or a described machine's name, or a description (FILE.json)")
      ->capture_default_str();
  command->add_option("--profile", options->profile, "a profile file instead of a device's own measurements");
  command->add_option("--records", options->records, "a table of features (.tsv, .tsv.gz) instead of matrix files");
  command
      ->add_option(
          "--model", options->model,
          "a model's name, 'best' (for each kernel the first in order of preference that has a forecast) or 'all'")
      ->capture_default_str();
  command
      ->add_option("--iterations", options->iterations,
                   "rank by what finishes so many products first, conversion included")
      ->check(CLI::PositiveNumber);
  command->add_flag("--no-probe", options->no_probe,
                    "do not time some products of the host's calibration again, which tells whether it has drifted");
  add_task_options(*command, options->task);
  command->callback([options, &globals] { predict(*options, globals); });
}

}  // namespace sparsecast::app
