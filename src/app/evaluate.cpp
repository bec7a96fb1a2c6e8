// sparsecast evaluate: predicted against measured, every model and kernel.

#include "forecast/evaluation.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>
#include <vector>

#include "app/commands.hpp"
#include "app/conversion_columns.hpp"
#include "app/inputs.hpp"
#include "app/profile_check.hpp"
#include "app/progress_bar.hpp"
#include "app/task_options.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "calibration/feature_table.hpp"
#include "calibration/measure.hpp"
#include "calibration/rounds.hpp"
#include "forecast/model_set.hpp"
#include "forecast/physical/at_speed.hpp"
#include "forecast/record_choice.hpp"
#include "forecast/sparsecast_model.hpp"
#include "forecast/task_forecast.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::app {
namespace {

struct EvaluateArguments {
  std::vector<std::string> paths;
  std::string device = "host";
  std::string profile;
  std::string records;
  std::string leave_out;
  std::string model = "all";
  std::vector<std::string> kernels;
  bool stored = false;
  devices::ProductTask task;
};

// A matrix and kernel without a time, or a file that could not be read, and why.
struct Skipped {
  std::string matrix, kernel, reason;
};

struct Evaluation {
  std::vector<forecast::EvaluationCase> cases;
  std::vector<Skipped> skipped;
  bool unreadable = false;
};

// A bound on one matrix's time: a slow kernel on a large matrix takes fewer blocks rather than minutes.
calibration::TimingOptions timing_options() {
  calibration::TimingOptions options;
  options.max_s = 0.3;
  options.max_blocks = 13;
  return options;
}

// One file's matrix, which kernels are measured now, and the times so far.
struct Subject {
  std::filesystem::path file;
  Structure structure;
  std::vector<std::string> kernels;
  std::vector<calibration::Measurement> measurements;  // one per kernel: the time that is kept, or why there is none
  calibration::KeptTimes kept;
};

// What measured times are held against: the models of a profile, and the core's speed and threads' start that they
// speak of.
struct Judge {
  const forecast::ModelSet& models;
  const forecast::TaskForecast& task;
  const DeviceProperties& properties;
  double reference_step = 0, reference_launch = 0;

  [[nodiscard]] double core_speed(const calibration::Measurement& measurement) const {
    const double step = measurement.timing.step_s;
    return step > 0 && reference_step > 0 ? reference_step / step : 1;
  }
  [[nodiscard]] double launch_ratio(const calibration::Measurement& measurement) const {
    const double launch = measurement.timing.launch_s;
    return launch > 0 && reference_launch > 0 ? launch / reference_launch : 1;
  }

  // For the speed at which the core ran when it was measured: a forecast cannot know the clock of another day.
  [[nodiscard]] forecast::EvaluationCase judged(Forecast forecast, const Structure& structure,
                                                const calibration::Measurement& m) const {
    const double factor = forecast::speed_factor(properties, static_cast<double>(forecast.bytes.value_or(0)),
                                                 reference_step, m.timing.step_s);
    for (double* seconds : {&forecast.seconds, &forecast.low_s, &forecast.high_s}) *seconds *= factor;
    return {structure.name,        m.device,         m.kernel,
            forecast.model,        forecast.seconds, forecast.low_s,
            forecast.high_s,       m.timing.seconds, m.timing.spread,
            forecast.extrapolated, core_speed(m),    launch_ratio(m),
            forecast.preprocess_s, m.preprocess_s};
  }
};

// What is known of a matrix before the first round, and what is left to measure.
void prepare(Subject& subject, const Matrix& matrix, const devices::Device& device, const calibration::Store& store,
             const EvaluateArguments& options, const Globals& globals) {
  subject.structure = analyze(matrix, globals.threads);
  subject.kernels = options.kernels.empty() ? device.kernels() : options.kernels;
  if (options.kernels.empty())  // forms that the matrix has no structure for are no candidates
    std::erase_if(subject.kernels,
                  [&](const std::string& kernel) { return !formats::refusal_of(kernel, subject.structure).empty(); });
  if (!options.stored) return;
  for (calibration::Measurement& stored :
       store.measurements(subject.structure, device.properties().name, globals.value_precision(), device.threads())) {
    if (std::erase(subject.kernels, stored.kernel) == 0) continue;
    if (stored.status == "ok") subject.kept.offer(stored.kernel, stored.timing);
    subject.measurements.push_back(std::move(stored));
  }
}

// Measures the kernels of a matrix; of one that an earlier round has measured, the less noisy time stays.
void measure_round(Subject& subject, bool first, devices::Device& device, calibration::Store& store,
                   const EvaluateArguments& options, const Globals& globals) {
  const Matrix matrix = input_matrix(subject.file);
  if (first) prepare(subject, matrix, device, store, options, globals);
  if (subject.kernels.empty()) return;
  for (calibration::Measurement& now :
       calibration::measure_kernels(device, matrix, subject.structure, subject.kernels, globals.value_precision(),
                                    timing_options(), options.task)) {
    const auto before = std::ranges::find(subject.measurements, now.kernel, &calibration::Measurement::kernel);
    const bool timed = now.status == "ok";
    if (before == subject.measurements.end()) {
      if (timed) subject.kept.offer(now.kernel, now.timing);
      if (options.task.plain()) store.add_measurement(now);
      subject.measurements.push_back(std::move(now));
    } else if (timed && before->status == "ok" && subject.kept.offer(now.kernel, now.timing)) {
      if (options.task.plain()) store.add_measurement(now);
      *before = std::move(now);
    }
  }
}

void judge_subject(const Subject& subject, const Judge& judge, Evaluation& evaluation) {
  const Structure& structure = subject.structure;
  for (const calibration::Measurement& measurement : subject.measurements) {
    if (measurement.status != "ok") {
      evaluation.skipped.push_back({structure.name, measurement.kernel, measurement.status});
      continue;
    }
    // Where a hypervisor puts a guest's processors no forecast can know either: for the time in which threads started.
    for (Forecast& plain : judge.models.forecasts(structure, measurement.kernel, measurement.timing.launch_s))
      if (auto forecast = judge.task.of(std::move(plain), structure))
        evaluation.cases.push_back(judge.judged(std::move(*forecast), structure, measurement));
  }
}

// How the machine was while the products ran, where it was not always the same.
void print_state(const Evaluation& evaluation, double forecast::EvaluationCase::*state, const char* text) {
  std::vector<double> values;
  for (const forecast::EvaluationCase& one : evaluation.cases) values.push_back(one.*state);
  std::ranges::sort(values);
  if (values.empty() || values.front() == values.back()) return;
  print(fmt::format("\n{} ({} to {}); forecasts are for what was when each product ran\n",
                    fmt::format(fmt::runtime(text), base::format_percent(values[values.size() / 2])),
                    base::format_percent(values.front()), base::format_percent(values.back())));
}

void print_text(const Evaluation& evaluation) {
  base::TextTable errors(
      {"kernel", "model", "cases", "mean", "median", "90th", "max", "in interval", "repeat spread", "conversion"});
  for (const forecast::ErrorSummary& s : forecast::summarize(evaluation.cases))
    errors.add({s.kernel, s.model, std::to_string(s.cases), base::format_percent(s.mean_error),
                base::format_percent(s.median_error), base::format_percent(s.p90_error),
                base::format_percent(s.max_error), base::format_percent(s.coverage),
                base::format_percent(s.mean_spread),
                s.preprocess_mean_error ? base::format_percent(*s.preprocess_mean_error) : "?"});
  base::TextTable choices({"model", "matrices", "within 2 %", "mean regret", "max regret"});
  for (const forecast::SelectionSummary& s : forecast::selections(evaluation.cases))
    choices.add({s.model, std::to_string(s.cases), std::to_string(s.hits), base::format_percent(s.mean_regret),
                 base::format_percent(s.max_regret)});
  print(fmt::format("error |predicted − measured| / measured\n\n{}\nkernel chosen by each model\n\n{}", errors.text(),
                    choices.text()));
  print_state(evaluation, &forecast::EvaluationCase::core_speed,
              "the core ran at {} of its speed during the calibration");
  print_state(evaluation, &forecast::EvaluationCase::launch_ratio,
              "threads took {} of the calibration's time to start");
  if (evaluation.skipped.empty()) return;
  base::TextTable skipped({"not judged", "kernel", "reason"});
  for (const Skipped& s : evaluation.skipped) skipped.add({s.matrix, s.kernel, s.reason});
  print("\n" + skipped.text());
}

void print_document(const Evaluation& evaluation, const devices::ProductTask& task) {
  nlohmann::ordered_json out;
  add_task(out, task);
  for (const char* list : {"cases", "summary", "selection", "skipped"}) out[list] = nlohmann::ordered_json::array();
  for (const forecast::EvaluationCase& c : evaluation.cases)
    out["cases"].push_back({{"matrix", c.matrix},
                            {"device", c.device},
                            {"kernel", c.kernel},
                            {"model", c.model},
                            {"predicted_s", c.predicted_s},
                            {"low_s", c.low_s},
                            {"high_s", c.high_s},
                            {"measured_s", c.measured_s},
                            {"error", c.error()},
                            {"spread", c.spread},
                            {"core_speed", c.core_speed},
                            {"launch_ratio", c.launch_ratio},
                            {"preprocess_predicted_s", or_null(c.preprocess_predicted_s)},
                            {"preprocess_measured_s", or_null(c.preprocess_measured_s)},
                            {"extrapolated", c.extrapolated}});
  for (const forecast::ErrorSummary& s : forecast::summarize(evaluation.cases))
    out["summary"].push_back({{"device", s.device},
                              {"kernel", s.kernel},
                              {"model", s.model},
                              {"cases", s.cases},
                              {"mean_error", s.mean_error},
                              {"median_error", s.median_error},
                              {"p90_error", s.p90_error},
                              {"max_error", s.max_error},
                              {"coverage", s.coverage},
                              {"mean_spread", s.mean_spread},
                              {"preprocess_mean_error", or_null(s.preprocess_mean_error)}});
  for (const forecast::SelectionSummary& s : forecast::selections(evaluation.cases))
    out["selection"].push_back({{"device", s.device},
                                {"model", s.model},
                                {"cases", s.cases},
                                {"hits", s.hits},
                                {"mean_regret", s.mean_regret},
                                {"max_regret", s.max_regret}});
  for (const Skipped& s : evaluation.skipped)
    out["skipped"].push_back({{"matrix", s.matrix}, {"kernel", s.kernel}, {"reason", s.reason}});
  print_json("evaluate", out);
}

// The records' own times against forecasts from their features. What the profile was measured on and what it is
// judged on must be different matrices; --leave-out says which of the profile's belong to a record.
Evaluation evaluate_records(const EvaluateArguments& options, const Globals& globals) {
  const Profile profile = load_machine(options.device, options.profile);
  // Repeats of one matrix and kernel are judged once, by their median.
  const Profile judged = calibration::profile_from_records(calibration::read_feature_table(options.records, true),
                                                           profile.name, profile.properties, globals.value_precision());
  std::vector<std::string> names;
  for (const BenchmarkMatrix& matrix : judged.matrices) names.push_back(matrix.structure.name);
  const FitOptions fit = fit_options(profile, globals);

  std::unique_ptr<FittedModel> without;
  std::optional<forecast::ModelSet> models;
  if (!options.leave_out.empty()) {
    if (profile.tier != Profile().tier)
      throw Error(ErrorCode::usage, "--leave-out is for measured profiles", {},
                  "by data sheet or probe a matrix is always judged without its imitations");
    if (options.model != "all" && options.model != "best" && options.model != "sparsecast")
      throw Error(ErrorCode::usage, fmt::format("--leave-out is for the model sparsecast, not '{}'", options.model), {},
                  "leave --model away");
    without = forecast::fit_sparsecast_model_without(profile, fit, options.leave_out, names);
  } else {
    models.emplace(options.model, profile, fit);
  }

  Evaluation evaluation;
  std::set<std::string> unknown;
  for (const Record& record : judged.records) {
    const Structure& structure = judged.matrices[static_cast<std::size_t>(record.matrix)].structure;
    std::vector<Forecast> forecasts;
    if (models) {
      forecasts = models->forecasts(structure, record.kernel);
    } else if (auto forecast = without->forecast(structure, record.kernel)) {
      forecasts.push_back(std::move(*forecast));
    }
    if (forecasts.empty() && unknown.insert(record.kernel).second)
      evaluation.skipped.push_back({"", record.kernel,
                                    profile.tier == "data sheet" ? "no machine of that kind was measured with it"
                                                                 : "the profile has no records of that kernel"});
    for (const Forecast& forecast : forecasts)
      evaluation.cases.push_back({structure.name, profile.name, record.kernel, forecast.model, forecast.seconds,
                                  forecast.low_s, forecast.high_s, record.seconds, record.spread, forecast.extrapolated,
                                  1, 1, forecast.preprocess_s,
                                  record.preprocess_s > 0 ? std::optional(record.preprocess_s) : std::nullopt});
  }
  return evaluation;
}

// The matrices of these files, measured here and now.
Evaluation evaluate_files(const EvaluateArguments& options, const Globals& globals) {
  const std::vector<std::filesystem::path> files = matrix_files(options.paths);
  const Profile profile = load_profile(options.device, {});
  const std::unique_ptr<devices::Device> device = devices::open_device(options.device, globals.threads);
  const FitOptions fit = fit_options(profile, globals);
  warn_of_changes(profile, globals);
  const forecast::ModelSet models(options.model, profile, fit);
  const forecast::TaskForecast task(profile, fit, options.task);
  const FitOptions from = forecast::records_for(profile, fit);
  const Judge judge{models, task, profile.properties, forecast::reference_step(profile, from),
                    forecast::reference_launch(profile, from)};
  calibration::Store store;
  Evaluation evaluation;
  ProgressBar bar(globals);
  const base::ProgressFunction progress = bar.function();
  std::vector<Subject> subjects;
  for (const std::filesystem::path& file : files) subjects.push_back({file, {}, {}, {}, {}});
  const auto rounds = calibration::Rounds::on(profile.properties);
  const double steps = static_cast<double>(files.size()) * rounds.every;
  double done = 0;
  for (int round = 0; round < rounds.most; ++round) {
    for (Subject& subject : subjects) {
      base::throw_if_interrupted();
      if (round > 0 && subject.kernels.empty()) continue;
      if (!rounds.takes(round, subject.kept, judge.reference_launch)) continue;
      if (progress) progress({std::min(1.0, done++ / steps), -1, subject.file.filename().string()});
      try {
        measure_round(subject, round == 0, *device, store, options, globals);
      } catch (const Error& error) {
        // One bad file among many does not take the others' results with it; a single one is the whole input.
        if (error.code() != ErrorCode::bad_input || files.size() == 1) throw;
        subject.kernels.clear();
        evaluation.skipped.push_back({subject.file.filename().string(), "", error.what()});
        evaluation.unreadable = true;
      }
    }
  }
  for (const Subject& subject : subjects) judge_subject(subject, judge, evaluation);
  return evaluation;
}

void check(const EvaluateArguments& options) {
  if (options.records.empty() == options.paths.empty())
    throw Error(ErrorCode::usage,
                options.records.empty() ? "nothing to evaluate" : "matrix files and --records together", {},
                "name matrix files or folders to measure them here, or a table of measured times with --records");
  if (!options.task.plain() && (options.stored || !options.records.empty()))
    throw Error(ErrorCode::usage, "stored and recorded times are of one vector, and of the matrix itself", {},
                "leave --vectors and --transposed away, or measure: name matrix files without --stored");
  if (options.records.empty() && (!options.leave_out.empty() || !options.profile.empty()))
    throw Error(ErrorCode::usage, "--profile and --leave-out are for --records", {},
                "name a table of measured times with --records");
}

void evaluate(const EvaluateArguments& options, const Globals& globals) {
  check(options);
  const Evaluation evaluation =
      options.records.empty() ? evaluate_files(options, globals) : evaluate_records(options, globals);
  globals.json ? print_document(evaluation, options.task) : print_text(evaluation);
  if (evaluation.unreadable)
    throw Error(ErrorCode::bad_input,
                "some files could not be read; they are listed under \"not judged\", the others were evaluated");
}

}  // namespace

void add_evaluate(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("evaluate", "Predicted against measured, every model and kernel");
  auto options = std::make_shared<EvaluateArguments>();
  command->add_option("PATH", options->paths, "matrix files or folders of them, to be measured here");
  command
      ->add_option(
          "--device", options->device,
          "host, opencl:N or cuda:N; with --records also a described machine's name or a description (FILE.json)")
      ->capture_default_str();
  command->add_option("--records", options->records,
                      "a table of measured times with features (.tsv, .tsv.gz) instead of matrices");
  command->add_option("--profile", options->profile, "with --records: a profile file instead of a device's name");
  command
      ->add_option("--leave-out", options->leave_out,
                   "with --records: judge each matrix by fits without the profile's matrices whose COLUMN (twin_of or "
                   "matrix) is its name")
      ->type_name("COLUMN");
  command->add_option("--model", options->model, "a model's name or 'all'")->capture_default_str();
  command->add_flag("--stored", options->stored,
                    "judge times that the store has already; measure only what is missing");
  command->add_option("--kernels", options->kernels, "only these, separated by commas")->delimiter(',');
  add_task_options(*command, options->task);
  command->callback([options, &globals] { evaluate(*options, globals); });
}

}  // namespace sparsecast::app
