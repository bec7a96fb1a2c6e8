// sparsecast predict: how long each kernel will take on a matrix, and which to use.

#include <set>

#include "app/field_options.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/pictures.hpp"
#include "app/terminal/terminal.hpp"
#include "app/texts.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "fields/answers/predict.hpp"
#include "fields/json.hpp"
#include "forecast/model_names.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::app {
namespace {
struct PredictArguments {
  std::vector<std::string> matrices;
  std::string records, page;
  PredictRequest request{.check_drift = true};
  bool no_probe = false, explain = false, all = false;
};

// The card of a forecast's model, in docs/models.
std::string_view card_of(const Forecast& forecast, DeviceKind kind) {
  if (forecast.model == forecast::own_model) return "host";
  if (forecast.model == forecast::code_model_name) return "gpus";
  if (forecast.model != forecast::described_model_name) return "papers";
  return kind == DeviceKind::host ? "machines" : "gpus";
}

// Where the recommended kernel's time goes, and how near its stream of values and indices, which no kernel can avoid,
// comes to what the device reads at best.
std::string explanation_text(const Prediction& prediction) {
  const auto chosen = std::ranges::find(prediction.forecasts, prediction.recommended.kernel, &Forecast::kernel);
  if (chosen == prediction.forecasts.end() || chosen->parts.empty()) return {};
  base::TextTable table({"time of " + chosen->kernel, "", "share", "moves"});
  double streamed = 0;
  for (const ForecastPart& part : chosen->parts) {
    table.add({std::string(to_string(part.term)), base::format_seconds(part.seconds),
               base::format_percent(part.seconds / chosen->seconds),
               part.bytes > 0 ? base::format_bytes(part.bytes) : "–"});
    if (part.term == Term::stream) streamed += part.bytes;
  }
  std::string text =
      fmt::format("\n{}by the model {}\n", table.text(layout()), card_of(*chosen, prediction.device.kind));
  if (streamed <= 0) return text;
  const double rate = streamed / chosen->seconds, most = prediction.bandwidth;
  const std::string against = most > 0 ? fmt::format(", {} of the rate at which this device reads so many bytes",
                                                     base::format_percent(rate / most))
                                       : "";
  return fmt::format("{}streams {}/s{}\n", text, base::format_bytes(rate), against);
}

// Where no conversion is known although there are some: the command that measures them.
std::string unknown_conversions_text(const Prediction& prediction) {
  const auto known = [](const Forecast& f) { return f.preprocess_s.value_or(0) > 0; };
  if (std::ranges::any_of(prediction.forecasts, known) ||
      std::ranges::all_of(prediction.forecasts, [](const Forecast& f) { return f.preprocess_s.has_value(); }))
    return {};
  return !prediction.by_calibration
             ? "\nthe times of conversions are not known: the profile's table does not have them\n"
             : fmt::format(
                   "\nthe times of conversions are not known: `sparsecast calibrate --device {}` measures them\n",
                   prediction.profile);
}

// Where little or nothing was measured, the reader is told at once.
std::string tier_text(const Prediction& prediction) {
  if (!prediction.observed.empty()) return ",\nbased on: measurements here, " + prediction.observed;
  if (!prediction.neighbours.empty()) return ",\nbased on: the models, corrected by " + prediction.neighbours;
  if (prediction.tier == Tier::probe) return ", by a probe of it";
  if (prediction.tier == Tier::shipped)
    return ",\nby the shipped models, not calibrated: `sparsecast calibrate --quick` narrows this";
  if (prediction.tier == Tier::anchors) return ", by its data sheet and products measured there";
  if (prediction.tier == Tier::table) return ", by a table of products measured there";
  if (prediction.tier == Tier::data_sheet) return ",\nby its data sheet: nothing was measured there";
  return {};
}

std::string counts_text(const Prediction& prediction) {
  const std::vector<ThreadCount>& counts = prediction.thread_counts;
  if (counts.empty()) return {};
  base::TextTable table({"threads", "kernel", "forecast", "GF/s", "times one"});
  for (const ThreadCount& count : counts)
    table.add({std::to_string(count.threads), count.kernel, base::format_seconds(count.seconds),
               fmt::format("{:.2f}", count.gflops), fmt::format("{:.2f}", counts.front().total_s / count.total_s)});
  const int fastest = *prediction.threads, enough = *prediction.enough_threads;
  const std::string helped = enough < fastest ? fmt::format("; more than {} gain a twentieth at most", enough)
                             : fastest < counts.back().threads ? "; more do not help"
                                                               : "";
  return fmt::format("\n{}fastest with {} thread{}{}\n", table.text(layout()), fastest, fastest == 1 ? "" : "s",
                     helped);
}

// Behind a forecast that is beyond what was measured; in the long table with where the formula does not reach.
std::string mark_of(const Forecast& f, bool with_why) {
  if (f.beyond && with_why) return "* " + std::string(word_of(*f.beyond));
  return f.extrapolated ? "*" : "";
}

std::string beyond_text(const std::vector<Forecast>& forecasts) {
  std::string text;
  if (std::ranges::any_of(forecasts, &Forecast::extrapolated))
    text += "* extrapolated: beyond what was measured there\n";
  if (std::ranges::any_of(forecasts, [](const Forecast& f) { return f.beyond == Beyond::launch; }))
    text += "  for some, a formula fell below the time that starting a product takes\n";
  return text;
}

// Every forecast with all that is known of it. One model has made all, or there is a column that tells.
std::string all_forecasts_text(const Prediction& prediction, std::int64_t iterations, bool several) {
  std::vector<std::string> head{"kernel", "forecast", "90 % interval", "GF/s", "storage", "conversion"};
  if (several) head.insert(head.begin() + 1, "model");
  if (iterations > 0) head.emplace_back("total");
  base::TextTable table(head);
  table.keys(several ? 2 : 1);
  for (const Forecast& f : prediction.forecasts) {
    std::vector<std::string> row{f.kernel,
                                 base::format_seconds(f.seconds),
                                 base::format_seconds(f.low_s) + " – " + base::format_seconds(f.high_s),
                                 fmt::format("{:.2f}", f.gflops),
                                 f.bytes ? base::format_bytes(static_cast<double>(*f.bytes)) : "?",
                                 seconds_text(f.preprocess_s)};
    if (iterations > 0) row.push_back(seconds_text(total_seconds(f, iterations)));
    if (several) row.insert(row.begin() + 1, f.model);
    if (f.extrapolated || f.tier == Tier::observed)
      row.emplace_back(f.extrapolated ? mark_of(f, true) : "measured here");
    if (f.learned_of) row.emplace_back("learned from " + *f.learned_of);
    if (!f.extrapolated && f.moved) row.emplace_back(fmt::format("corrected by {:+.1f} %", 100 * (*f.moved - 1)));
    table.add(row);
  }
  return table.text(layout());
}

const Forecast* forecast_of(const Prediction& prediction, std::string_view kernel) {
  const auto found = std::ranges::find(prediction.forecasts, kernel, &Forecast::kernel);
  return found == prediction.forecasts.end() ? nullptr : &*found;
}

// The first ones, among them csr, which others are held against.
std::string first_forecasts_text(const Prediction& prediction, std::int64_t iterations, std::size_t most) {
  std::vector<std::vector<std::string>> rows{{"kernel", "forecast", "90 % interval", "conversion"}};
  if (iterations > 0) rows.front().emplace_back("total");
  rows.front().emplace_back("");
  std::vector<Interval> intervals;
  const Forecast* const plain = forecast_of(prediction, formats::default_kernel().name);
  std::size_t left = std::min(most, prediction.forecasts.size());
  bool seen = plain == nullptr;
  for (const Forecast& f : prediction.forecasts) {
    seen = seen || &f == plain;
    if (left == 0 || (left == 1 && !seen)) continue;
    --left;
    intervals.push_back({f.low_s, f.seconds, f.high_s});
    rows.push_back({f.kernel, base::format_seconds(f.seconds),
                    base::format_seconds(f.low_s) + " – " + base::format_seconds(f.high_s),
                    seconds_text(f.preprocess_s)});
    if (iterations > 0) rows.back().push_back(seconds_text(total_seconds(f, iterations)));
    rows.back().emplace_back(f.extrapolated ? mark_of(f, false) : f.tier == Tier::observed ? "=" : f.moved ? "~" : "");
  }
  std::string text = rows.size() > 1 ? bar_table(rows, 3, intervals, layout()) : "";
  const auto any = [&](const auto& is) { return std::ranges::any_of(prediction.forecasts, is); };
  if (any([](const Forecast& f) { return f.tier == Tier::observed; })) text += "= measured on this matrix\n";
  if (any([](const Forecast& f) { return f.moved.has_value(); }))
    text += "~ corrected by measurements of similar matrices\n";
  return text;
}

// What to use, and what is not told apart from it.
std::string advice_text(const Prediction& prediction) {
  const Recommendation& advice = prediction.recommended;
  if (advice.kernel.empty()) return base::bold("no recommendation", layout()) + ": " + advice.reason + '\n';
  std::string text = fmt::format("{}: {}\n", base::bold("use " + advice.kernel, layout()),
                                 advice.advice.empty() ? advice.reason : advice.advice);
  if (advice.advice.empty() || advice.ties.empty()) return text;
  constexpr std::size_t most = 4;
  const std::size_t named = std::min(most, advice.ties.size());
  text += fmt::format("cannot be told apart from it: {}",
                      fmt::join(advice.ties.begin(), advice.ties.begin() + named, ", "));
  return text + (advice.ties.size() > named ? fmt::format(" and {} more\n", advice.ties.size() - named) : "\n");
}

std::string prediction_text(const Prediction& prediction, const PredictArguments& options) {
  const std::int64_t iterations = options.request.iterations;
  const std::string model = prediction.forecasts.empty() ? "" : prediction.forecasts.front().model;
  const bool several = !std::ranges::all_of(prediction.forecasts, [&](const Forecast& f) { return f.model == model; });
  const std::size_t most = prediction.thread_counts.empty() ? 9 : 5;
  const bool all = options.all || several;
  std::string text = advice_text(prediction);
  // Without advice the reason stands above.
  if (all && !prediction.recommended.advice.empty()) text += prediction.recommended.reason + '\n';
  text += fmt::format("\n{}, on {} in {} precision{}{}{}\n{}\n", size_text(prediction.matrix), prediction.profile,
                      to_string(prediction.product.precision), task_text(prediction.product),
                      several || model.empty() || model == forecast::own_model ? "" : " by model " + model,
                      tier_text(prediction),
                      prediction.of_other_precision.empty() ? "" : prediction.of_other_precision + '\n');
  text +=
      all ? all_forecasts_text(prediction, iterations, several) : first_forecasts_text(prediction, iterations, most);
  text += beyond_text(prediction.forecasts);
  if (iterations > 0) text += "total: " + total_heading(iterations) + '\n';
  if (!prediction.not_measured.empty())
    text += fmt::format("not forecast: {}; the profile has no records of them, calibrate again\n",
                        fmt::join(prediction.not_measured, ", "));
  text += counts_text(prediction);
  if (options.explain) text += explanation_text(prediction);
  text += unknown_conversions_text(prediction);
  if (all || options.explain) return text;
  const std::size_t count = prediction.forecasts.size();
  return text + (count > most ? more_text(count - most, "kernel") + " with --all, where" : "where") +
         " the time goes with --explain\n";
}

// A file's matrix, or the structure of one that is elsewhere.
MatrixInput input_of(const std::filesystem::path& file, Page& page, const Globals& globals) {
  if (file.extension() == ".json") return answers::structure_of(file, globals.threads, listener_of(globals));
  Matrix matrix = read_input(file, globals);
  if (page.wanted()) page.look_at(matrix);
  return matrix;
}

// The rows of a table of features, one per matrix, whatever else the table holds.
std::vector<Structure> structures_of(const std::string& table) {
  std::vector<Structure> structures;
  std::set<std::string> seen;
  for (calibration::FeatureRecord& record : calibration::read_feature_table(table, false))
    if (seen.insert(record.structure.name).second) structures.push_back(std::move(record.structure));
  return structures;
}

PredictRequest request_of(const PredictArguments& options, const Globals& globals) {
  PredictRequest request = options.request;
  tell_globals(request, globals);
  request.choose_threads = globals.best_count;
  request.check_drift = !options.no_probe;
  return request;
}

void predict(const PredictArguments& options, const Globals& globals) {
  Page page(options.page, globals);
  const std::vector<std::filesystem::path> files = matrix_files(options.matrices, globals);
  Failures failures(files.size());
  PredictRequest request = request_of(options, globals);
  if (page.wanted())
    page.add_machine(answers::load_machine(request.device, request.profile.string(), request.listener));
  nlohmann::ordered_json documents = nlohmann::ordered_json::array();
  int answered = 0;
  const auto answer = [&](MatrixInput matrix) {
    request.matrix = std::move(matrix);
    const Prediction prediction = sparsecast::predict(request);
    ++answered;
    if (globals.json || page.wanted()) documents.push_back(fields::written(prediction));
    if (!globals.json)
      print((answered > 1 ? "\n" : "") + prediction_text(prediction, options) +
            (prediction.powers ? "\n" + matrix_powers_text(*prediction.powers) : ""));
  };
  for (const std::filesystem::path& file : files) failures.attempt([&] { answer(input_of(file, page, globals)); });
  if (!options.records.empty())
    for (Structure& structure : structures_of(options.records)) answer(std::move(structure));
  if (answered == 0 && failures.none())
    throw Error(ErrorCode::usage, "nothing to forecast", {},
                "name a matrix file, or a table of features with --records");
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
  CLI::App* command = root.add_subcommand("predict", "Forecast every kernel, recommend one and say why");
  auto options = std::make_shared<PredictArguments>();
  FieldOptions add(*command, options->request);
  add.positional<&PredictRequest::matrix>("MATRIX", options->matrices);
  add.options<&PredictRequest::device, &PredictRequest::profile, &PredictRequest::anchors>();
  command->add_option("--records", options->records, "a table of features (.tsv, .tsv.gz) instead of matrix files");
  add.options<&PredictRequest::model, &PredictRequest::kernels, &PredictRequest::iterations, &PredictRequest::powers,
              &PredictRequest::places>();
  command->add_flag("--all", options->all, "show every kernel with its rate, its storage and its model");
  command->add_flag("--explain", options->explain, "show where the time of the recommended kernel goes");
  add_probe_option(*command, options->no_probe);
  add.option<&PredictRequest::no_store>();
  add_task_options(*command, options->request.product);
  add_page_option(*command, options->page);
  command->callback([options, &globals] { predict(*options, globals); });
}
}  // namespace sparsecast::app
