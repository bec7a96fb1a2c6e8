// sparsecast predict: how long each kernel will take on a matrix, and which to use.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/recommend.hpp>

#include "app/commands.hpp"
#include "app/conversion_columns.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/predict/thread_choice.hpp"
#include "app/profile_check.hpp"
#include "app/task_options.hpp"
#include "app/terminal/terminal.hpp"
#include "base/curve.hpp"
#include "base/text.hpp"
#include "calibration/feature_table.hpp"
#include "forecast/model_set.hpp"
#include "forecast/record_choice.hpp"
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
  std::string page;
  std::string model = "best";
  std::int64_t iterations = 0;
  bool no_probe = false;
  devices::ProductTask task;
};

struct Prediction {
  Structure structure;
  ThreadChoice threads;  // --threads auto
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
      out["parts"].push_back({{"name", part.name}, {"seconds", part.seconds}, {"bytes", std::llround(part.bytes)}});
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
  if (!prediction.threads.counts.empty()) {
    out["threads"] = prediction.threads.fastest;
    out["enough_threads"] = prediction.threads.enough;
    out["thread_counts"] = counts_json(prediction.threads);
  }
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
  if (streamed <= 0) return "\n" + table.text(layout());
  const double rate = streamed / chosen->seconds, most = read_rate(profile, threads, streamed);
  const std::string against =
      most > 0 ? fmt::format(", {} of what this device reads of so many bytes", base::format_percent(rate / most)) : "";
  return fmt::format("\n{}streams {}/s{}\n", table.text(layout()), base::format_bytes(rate), against);
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
    if (!kernel.on_host || kernel.refusal == nullptr || !kernel.variant_of.empty() ||
        !kernel.refusal(structure).empty() || std::ranges::any_of(profile.records, is_of_it))
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
  // One model has made them all, or there is a column that tells.
  const std::string model = prediction.forecasts.empty() ? "" : prediction.forecasts.front().model;
  const bool several = !std::ranges::all_of(prediction.forecasts, [&](const Forecast& f) { return f.model == model; });
  std::vector<std::string> head{"kernel", "forecast", "90 % interval", "GF/s", "storage", "conversion"};
  if (several) head.insert(head.begin() + 1, "model");
  if (options.iterations > 0) head.emplace_back("total");
  base::TextTable table(head);
  table.keys(several ? 2 : 1);
  bool extrapolated = false;
  for (const Forecast& f : prediction.forecasts) {
    std::vector<std::string> row{f.kernel,
                                 base::format_seconds(f.seconds),
                                 base::format_seconds(f.low_s) + " – " + base::format_seconds(f.high_s),
                                 fmt::format("{:.2f}", f.gflops),
                                 f.bytes ? base::format_bytes(static_cast<double>(*f.bytes)) : "?",
                                 seconds_text(f.preprocess_s)};
    if (options.iterations > 0) row.push_back(seconds_text(total_seconds(f, options.iterations)));
    if (several) row.insert(row.begin() + 1, f.model);
    if (f.extrapolated) row.emplace_back("*");
    extrapolated = extrapolated || f.extrapolated;
    table.add(row);
  }
  std::string notes = extrapolated ? "* extrapolated: beyond what was measured there\n" : "";
  if (options.iterations > 0) notes += "total: " + total_heading(options.iterations) + "\n";
  const std::string from = other_precision_text(profile, fit_options(profile, globals));
  return fmt::format(
      "{}: {} × {}, {} non-zeros, on {} in {} precision{}{}{}\n{}\n{}{}{}{}{}{}\n{}: {}\n", s.name,
      base::format_count(s.rows), base::format_count(s.cols), base::format_count(s.nonzeros), profile.name,
      globals.precision, task_text(options.task), several || model.empty() ? "" : " by model " + model,
      tier_text(profile), from.empty() ? from : from + '\n', table.text(layout()), notes,
      uncalibrated_text(s, profile, globals), counts_text(prediction.threads),
      explanation_text(prediction, profile,
                       prediction.threads.fastest > 0 ? prediction.threads.fastest : threads_for(profile, globals)),
      unknown_conversions_text(prediction, profile),
      base::bold("use " + (prediction.recommended.kernel.empty() ? "nothing" : prediction.recommended.kernel),
                 layout()),
      prediction.recommended.reason);
}

// The matrices meant: files, structures of matrices that are elsewhere, or the rows of a table of features (one per
// matrix, whatever else the table holds).
std::vector<Structure> structures_of(const PredictArguments& options, const std::vector<std::filesystem::path>& files,
                                     Page& page, Failures& failures, const Globals& globals) {
  std::vector<Structure> structures;
  for (const auto& file : files)
    failures.attempt([&] {
      structures.push_back(file.extension() == ".json" ? matrix::read_structure(file)
                                                       : page.look_at(read_input(file, globals)));
    });
  if (!options.records.empty()) {
    std::set<std::string> seen;
    for (calibration::FeatureRecord& record : calibration::read_feature_table(options.records, false))
      if (seen.insert(record.structure.name).second) structures.push_back(std::move(record.structure));
  }
  if (structures.empty()) failures.finish();
  if (structures.empty())
    throw Error(ErrorCode::usage, "nothing to forecast", {},
                "name a matrix file, or a table of features with --records");
  return structures;
}

// The models for one number of threads, and what they say.
class Forecaster {
 public:
  Forecaster(const PredictArguments& options, const Profile& profile, FitOptions fit)
      : options_(options),
        kernels_(forecast::kernels_of(profile, options.model)),
        fit_(std::move(fit)),
        task_(profile, fit_, options.task),
        models_(options.model, profile, fit_) {}

  [[nodiscard]] std::vector<Forecast> forecasts(const Structure& s) const {
    return options_.model == "all" ? task_.of(models_.all(s, kernels_), s) : best(s);
  }
  [[nodiscard]] Recommendation recommended(const Structure& s) const { return recommend(best(s), options_.iterations); }
  [[nodiscard]] CountForecast of_count(const Structure& s) const {
    const std::vector<Forecast> all = best(s);
    const Recommendation chosen = recommend(all, options_.iterations);
    const auto of = std::ranges::find(all, chosen.kernel, &Forecast::kernel);
    if (of == all.end()) return {fit_.threads, chosen.kernel, chosen.seconds, chosen.seconds, 0};
    const double total =
        options_.iterations > 0 ? total_seconds(*of, options_.iterations).value_or(of->seconds) : of->seconds;
    return {fit_.threads, of->kernel, of->seconds, total, of->gflops};
  }

 private:
  [[nodiscard]] std::vector<Forecast> best(const Structure& s) const { return task_.of(models_.best(s, kernels_), s); }

  const PredictArguments& options_;
  std::vector<std::string> kernels_;
  FitOptions fit_;
  forecast::TaskForecast task_;
  forecast::ModelSet models_;
};

// One forecaster for each number of threads that is asked for, made when it is.
class Forecasters {
 public:
  Forecasters(const PredictArguments& options, const Profile& profile, const Globals& globals)
      : options_(options), profile_(profile), globals_(globals) {}

  const Forecaster& with(int threads) {
    std::unique_ptr<Forecaster>& made = made_[threads];
    FitOptions fit = fit_options(profile_, globals_);
    if (threads > 0 && fit.threads > 0) fit.threads = threads;
    if (!made) made = std::make_unique<Forecaster>(options_, profile_, std::move(fit));
    return *made;
  }

 private:
  const PredictArguments& options_;
  const Profile& profile_;
  const Globals& globals_;
  std::map<int, std::unique_ptr<Forecaster>> made_;
};

Prediction prediction_of(Structure structure, const std::vector<int>& counts, int threads, std::int64_t iterations,
                         Forecasters& forecasters) {
  Prediction prediction;
  prediction.structure = std::move(structure);
  const Structure& s = prediction.structure;
  if (!counts.empty()) {
    prediction.threads = choose_count(counts, [&](int count) { return forecasters.with(count).of_count(s); });
    threads = prediction.threads.fastest;
  }
  prediction.forecasts = forecasters.with(threads).forecasts(s);
  prediction.recommended = forecasters.with(threads).recommended(s);
  if (iterations > 0)
    std::ranges::stable_sort(prediction.forecasts, {}, [&](const Forecast& forecast) {
      return total_seconds(forecast, iterations).value_or(std::numeric_limits<double>::infinity());
    });
  return prediction;
}

void predict(const PredictArguments& options, const Globals& globals) {
  Page page(options.page, globals);
  const std::vector<std::filesystem::path> files = matrix_files(options.matrices, globals);
  Failures failures(files.size());
  std::vector<Structure> structures = structures_of(options, files, page, failures, globals);
  const Profile profile = load_machine(options.device, options.profile);
  page.add_machine(profile);
  for (const Structure& structure : structures) forecast::require_row_lengths(structure, profile);
  const std::optional<forecast::Drift> drift =
      options.profile.empty() ? check_profile(profile, !options.no_probe, globals) : std::nullopt;
  const std::vector<int> counts = globals.best_count ? counts_to_try(profile, globals) : std::vector<int>();
  Forecasters forecasters(options, profile, globals);
  nlohmann::ordered_json documents = nlohmann::ordered_json::array();
  for (Structure& structure : structures) {
    const Prediction prediction =
        prediction_of(std::move(structure), counts, globals.threads, options.iterations, forecasters);
    if (globals.json || page.wanted())
      documents.push_back(prediction_json(prediction, profile, options, drift, globals));
    if (!globals.json) print(prediction_text(prediction, profile, options, globals));
  }
  if (documents.empty()) return failures.finish();
  // One matrix is the document itself; several stand in a list.
  const bool several = documents.size() > 1 || !failures.none();
  const char* name = several ? "predictions" : "predict";
  const nlohmann::ordered_json document = several ? nlohmann::ordered_json{{"predictions", documents}} : documents[0];
  if (globals.json) print_json(name, document);
  page.write("Forecast" + (several ? "s" : " of " + document["matrix"]["name"].get<std::string>()), name, document);
  failures.finish();
}

}  // namespace

void add_predict(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("predict", "Forecast of every kernel, the recommended one, and why");
  auto options = std::make_shared<PredictArguments>();
  command->add_option(
      "MATRIX", options->matrices,
      "matrix files or ss:GROUP/NAME, folders of files, or structures (.json) as `info --json` prints them");
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
  add_page_option(*command, options->page);
  command->callback([options, &globals] { predict(*options, globals); });
}

}  // namespace sparsecast::app
