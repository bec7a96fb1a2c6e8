// sparsecast predict: how long each kernel will take on a matrix, and which to use.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "core/text.hpp"
#include "models/model_set.hpp"

namespace sparsecast::app {
namespace {

struct Options {
  std::vector<std::string> matrices;
  std::string device = "host";
  std::string profile;
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
                             {"extrapolated", forecast.extrapolated}};
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

std::string prediction_text(const Prediction& prediction, const Profile& profile, const Globals& globals) {
  const Structure& s = prediction.structure;
  TextTable table({"kernel", "forecast", "90 % interval", "GFLOP/s", "storage", "conversion", "model", ""});
  for (const Forecast& f : prediction.forecasts)
    table.add({f.kernel, format_seconds(f.seconds), format_seconds(f.low_s) + " – " + format_seconds(f.high_s),
               fmt::format("{:.2f}", f.gflops), format_bytes(static_cast<double>(f.bytes)),
               f.preprocess_s > 0 ? format_seconds(f.preprocess_s) : "–", f.model,
               f.extrapolated ? "extrapolated" : ""});
  return fmt::format(
      "{}: {} × {}, {} non-zeros, on {} in {} precision\n\n{}\nuse {}: {}\n", s.name, format_count(s.rows),
      format_count(s.cols), format_count(s.nonzeros), profile.name, globals.precision, table.text(),
      prediction.recommended.kernel.empty() ? "nothing" : prediction.recommended.kernel, prediction.recommended.reason);
}

void predict(const Options& options, const Globals& globals) {
  std::vector<Structure> structures;
  for (const auto& file : matrix_files(options.matrices))
    structures.push_back(analyze(read_matrix(file), globals.threads));
  const Profile profile = load_profile(options.device, options.profile);
  const ModelSet models(options.model, profile, {globals.value_precision(), threads_for(profile, globals)});
  const std::vector<std::string> kernels = kernels_of(profile);
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
    print_json("predict", std::move(documents[0]));
  } else {
    print_json("predictions", {{"predictions", std::move(documents)}});
  }
}

}  // namespace

void add_predict(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("predict", "Forecast of every kernel, the recommended one, and why");
  auto options = std::make_shared<Options>();
  command->add_option("MATRIX", options->matrices, "matrix files or folders of them")->required();
  command->add_option("--device", options->device, "host, opencl:N, cuda:N or a profile's name")->capture_default_str();
  command->add_option("--profile", options->profile, "a profile file instead of a device's own measurements");
  command->add_option("--model", options->model, "a model's name, 'best' (the best-fitting of each kernel) or 'all'")
      ->capture_default_str();
  command
      ->add_option("--iterations", options->iterations,
                   "recommend what finishes so many products first, conversion included")
      ->check(CLI::PositiveNumber);
  command->callback([options, &globals] { predict(*options, globals); });
}

}  // namespace sparsecast::app
