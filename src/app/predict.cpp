// sparsecast predict: how long each kernel will take on a matrix, and which to use.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>
#include <sparsecast/recommend.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "base/curve.hpp"
#include "base/text.hpp"
#include "calibration/feature_table.hpp"
#include "forecast/model_set.hpp"
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
};

struct Prediction {
  Structure structure;
  std::vector<Forecast> forecasts;
  Recommendation recommended;
};

nlohmann::ordered_json forecast_json(const Forecast& forecast) {
  nlohmann::ordered_json out{{"kernel", forecast.kernel},
                             {"model", forecast.model},
                             {"seconds", forecast.seconds},
                             {"low_s", forecast.low_s},
                             {"high_s", forecast.high_s},
                             {"gflops", forecast.gflops},
                             {"bytes", forecast.bytes},
                             {"preprocess_s", forecast.preprocess_s},
                             {"extrapolated", forecast.extrapolated},
                             {"tier", forecast.tier}};
  if (!forecast.bound_by.empty()) out["bound_by"] = forecast.bound_by;
  if (!forecast.parts.empty()) {
    out["parts"] = nlohmann::ordered_json::array();
    for (const ForecastPart& part : forecast.parts)
      out["parts"].push_back({{"name", part.name}, {"seconds", part.seconds}, {"bytes", part.bytes}});
  }
  return out;
}

nlohmann::ordered_json prediction_json(const Prediction& prediction, const Profile& profile, const Globals& globals) {
  nlohmann::ordered_json out{{"matrix", matrix_json(prediction.structure)},
                             {"device", device_json(profile.properties)},
                             {"precision", globals.precision},
                             {"forecasts", nlohmann::ordered_json::array()}};
  for (const Forecast& forecast : prediction.forecasts) out["forecasts"].push_back(forecast_json(forecast));
  out["recommended"] = {{"kernel", prediction.recommended.kernel},
                        {"seconds", prediction.recommended.seconds},
                        {"reason", prediction.recommended.reason}};
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

// Where little or nothing was measured, the reader is told at once.
std::string tier_text(const Profile& profile) {
  if (profile.tier == "probe") return ", by a probe of it";
  if (profile.tier == "data sheet") return ",\nby its data sheet: nothing was measured there";
  return {};
}

std::string prediction_text(const Prediction& prediction, const Profile& profile, const Globals& globals) {
  const Structure& s = prediction.structure;
  base::TextTable table({"kernel", "forecast", "90 % interval", "GFLOP/s", "storage", "conversion", "model", ""});
  for (const Forecast& f : prediction.forecasts)
    table.add({f.kernel, base::format_seconds(f.seconds),
               base::format_seconds(f.low_s) + " – " + base::format_seconds(f.high_s), fmt::format("{:.2f}", f.gflops),
               base::format_bytes(static_cast<double>(f.bytes)),
               f.preprocess_s > 0 ? base::format_seconds(f.preprocess_s) : "–", f.model,
               f.extrapolated ? "extrapolated" : ""});
  return fmt::format(
      "{}: {} × {}, {} non-zeros, on {} in {} precision{}\n\n{}{}\nuse {}: {}\n", s.name, base::format_count(s.rows),
      base::format_count(s.cols), base::format_count(s.nonzeros), profile.name, globals.precision, tier_text(profile),
      table.text(), explanation_text(prediction, profile, threads_for(profile, globals)),
      prediction.recommended.kernel.empty() ? "nothing" : prediction.recommended.kernel, prediction.recommended.reason);
}

// The matrices meant: files, structures of matrices that are elsewhere, or the rows of a table of features (one per
// matrix, whatever else the table holds).
std::vector<Structure> structures_of(const PredictArguments& options, const Globals& globals) {
  std::vector<Structure> structures;
  for (const auto& file : matrix_files(options.matrices))
    structures.push_back(file.extension() == ".json" ? matrix::read_structure(file)
                                                     : analyze(read_matrix(file), globals.threads));
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
  const forecast::ModelSet models(options.model, profile, {globals.value_precision(), threads_for(profile, globals)});
  const std::vector<std::string> kernels = forecast::kernels_of(profile);
  nlohmann::ordered_json documents = nlohmann::ordered_json::array();
  for (Structure& structure : structures) {
    Prediction prediction;
    prediction.structure = std::move(structure);
    prediction.forecasts =
        options.model == "all" ? models.all(prediction.structure, kernels) : models.best(prediction.structure, kernels);
    prediction.recommended = recommend(
        options.model == "all" ? models.best(prediction.structure, kernels) : prediction.forecasts, options.iterations);
    if (globals.json) {
      documents.push_back(prediction_json(prediction, profile, globals));
    } else {
      print(prediction_text(prediction, profile, globals));
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
                   "recommend what finishes so many products first, conversion included")
      ->check(CLI::PositiveNumber);
  command->callback([options, &globals] { predict(*options, globals); });
}

}  // namespace sparsecast::app
