// evaluate: predicted against measured, every model and kernel, on matrices measured here or on recorded times.

#include <fmt/format.h>
#include <algorithm>
#include <set>
#include <sparsecast/answers/evaluate.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/recommend.hpp>

#include "answers/in_range.hpp"
#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "base/interrupt.hpp"
#include "calibration/measure.hpp"
#include "calibration/rounds.hpp"
#include "calibration/store.hpp"
#include "fields/answers/evaluate.hpp"
#include "fields/wording.hpp"
#include "forecast/model_names.hpp"
#include "forecast/physical/at_speed.hpp"
#include "forecast/record_choice.hpp"
#include "forecast/sparsecast_model.hpp"
#include "forecast/task_forecast.hpp"
#include "formats/kernels.hpp"
#include "planning/choice/observed_products.hpp"

namespace sparsecast {
namespace {
std::string name_of(const MatrixInput& input) {
  if (const auto* matrix = std::get_if<Matrix>(&input)) return matrix->name();
  if (const auto* file = std::get_if<std::filesystem::path>(&input)) return file->filename().string();
  return std::get<Structure>(input).name;
}

// A bound on one matrix's time: a slow kernel on a large matrix takes fewer blocks rather than minutes.
calibration::TimingOptions timing_options() {
  calibration::TimingOptions options;
  options.max_s = 0.3;
  options.max_blocks = 13;
  return options;
}

// One matrix, which kernels are measured now, and the times so far.
struct Subject {
  const MatrixInput* input = nullptr;
  std::string name;  // under which it is told from the others
  Structure structure;
  std::vector<std::string> kernels;
  std::vector<calibration::Measurement> measurements;  // one per kernel: the time that is kept, or why there is none
  calibration::KeptTimes* kept = nullptr;
  std::map<std::string, double> repeat_errors;  // by kernel, of the last round beside the one that is kept
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
  [[nodiscard]] EvaluationCase judged(Forecast forecast, const Structure& structure,
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

// Forecasts of one matrix, and the cases that they were held against: each model recommends one of its own.
class Recommended {
 public:
  void add(const Forecast& forecast, std::size_t of) {
    auto& [forecasts, cases] = models_[forecast.model];
    forecasts.push_back(forecast);
    cases.push_back(of);
  }
  void mark(std::vector<EvaluationCase>& all) const {
    for (const auto& [model, of] : models_) {
      const std::string kernel = recommend(of.first).kernel;
      for (const std::size_t one : of.second) all[one].recommended = all[one].kernel == kernel;
    }
  }

 private:
  std::map<std::string, std::pair<std::vector<Forecast>, std::vector<std::size_t>>> models_;
};

// What is known of a matrix before the first round, and what is left to measure.
void prepare(Subject& subject, const Matrix& matrix, const hardware::Device& device, const calibration::Store* store,
             const EvaluateRequest& request) {
  subject.structure = analyze(matrix, request.threads);
  subject.kernels = request.kernels.empty() ? device.kernels() : request.kernels;
  if (request.kernels.empty())  // forms that the matrix has no structure for are no candidates
    std::erase_if(subject.kernels,
                  [&](const std::string& kernel) { return !formats::refusal_of(kernel, subject.structure).empty(); });
  if (!request.stored || store == nullptr) return;
  for (calibration::Measurement& stored :
       store->measurements(subject.structure, device.properties().name, request.product.precision, device.threads())) {
    if (std::erase(subject.kernels, stored.kernel) == 0) continue;
    if (stored.timed()) subject.kept->offer(stored.kernel, stored.timing);
    subject.measurements.push_back(std::move(stored));
  }
}

// Measures the kernels of a matrix; of one that an earlier round has measured, the less noisy time stays.
void measure_round(Subject& subject, bool first, hardware::Device& device, calibration::Store* store,
                   const Judge& judge, const EvaluateRequest& request) {
  const Matrix matrix = load_matrix(*subject.input, request.threads, request.listener);
  if (first) prepare(subject, matrix, device, store, request);
  if (subject.kernels.empty()) return;
  for (calibration::Measurement& now :
       calibration::measure_kernels(device, matrix, subject.structure, subject.kernels, request.product.precision,
                                    timing_options(), request.product, first)) {
    const auto before = std::ranges::find(subject.measurements, now.kernel, &calibration::Measurement::kernel);
    const bool timed = now.timed();
    if (const calibration::Timing* kept = subject.kept->find(now.kernel); kept != nullptr && timed && !first)
      subject.repeat_errors[now.kernel] = std::abs(now.timing.seconds / kept->seconds - 1);
    if (before == subject.measurements.end()) {
      if (timed) subject.kept->offer(now.kernel, now.timing);
      if (request.product.plain() && store != nullptr) store->add_measurement(now);
      subject.measurements.push_back(std::move(now));
    } else if (timed && before->timed() && subject.kept->offer(now.kernel, now.timing)) {
      now.preprocess_s = before->preprocess_s;
      if (request.product.plain() && store != nullptr) store->add_measurement(now);
      *before = std::move(now);
    }
  }
  if (!request.no_store)
    planning::ObservedProducts(matrix, device.properties().name, request.product, device.threads(), request.listener)
        .of(subject.structure)
        .keep(subject.measurements, request.kernels.empty(),
              judge.task.of(judge.models.best(subject.structure, subject.kernels), subject.structure),
              request.listener);
}

void judge_subject(const Subject& subject, const Judge& judge, Evaluation& evaluation) {
  const Structure& structure = subject.structure;
  Recommended recommended;
  for (const calibration::Measurement& measurement : subject.measurements) {
    if (!measurement.timed()) {
      evaluation.skipped.push_back({subject.name, measurement.kernel, measurement.failure});
      continue;
    }
    // Where a hypervisor puts a guest's processors no forecast can know either: for the time in which threads started.
    for (Forecast& plain : judge.models.forecasts(structure, measurement.kernel, measurement.timing.launch_s))
      if (auto forecast = judge.task.of(std::move(plain), structure)) {
        recommended.add(*forecast, evaluation.cases.size());
        EvaluationCase& one = evaluation.cases.emplace_back(judge.judged(std::move(*forecast), structure, measurement));
        one.matrix = subject.name;
        one.nonzeros = structure.nonzeros;
        const auto repeat = subject.repeat_errors.find(measurement.kernel);
        if (repeat != subject.repeat_errors.end()) one.repeat_error = repeat->second;
      }
  }
  recommended.mark(evaluation.cases);
}

// Those that are asked about.
void keep_kernels(Profile& judged, const EvaluateRequest& request) {
  std::vector<std::string> known;
  for (const Record& record : judged.records)
    if (std::ranges::find(known, record.kernel) == known.end()) known.push_back(record.kernel);
  for (const std::string& kernel : request.kernels)
    if (std::ranges::find(known, kernel) == known.end())
      throw Error(ErrorCode::usage, fmt::format("there is no kernel '{}' in the table", kernel),
                  {request.records.string()}, fmt::format("it has: {}", fmt::join(known, ", ")));
  std::erase_if(judged.records, [&](const Record& record) {
    return std::ranges::find(request.kernels, record.kernel) == request.kernels.end();
  });
}

// Of those that stand more than once all but the first are numbered: cases name their matrix, and choices are of one.
std::vector<std::string> names_apart(std::vector<std::string> names) {
  std::map<std::string, int> given;
  for (std::string& name : names)
    if (const int before = given[name]++; before > 0) name += fmt::format(" ({})", before + 1);
  return names;
}

// The records' own times against forecasts from their features. What the profile was measured on and what it is
// judged on must be different matrices; --leave-out says which of the profile's belong to a record.
Evaluation evaluate_records(const EvaluateRequest& request) {
  const Profile profile =
      answers::with_anchors(answers::load_machine(request.device, request.profile.string(), request.listener),
                            request.anchors, request.listener);
  answers::remark_places(profile, request.places, request.listener);
  // Repeats of one matrix and kernel are judged once, by their median.
  const std::vector<calibration::FeatureRecord> records = answers::measurements_of(request.records, request.listener);
  Profile judged =
      calibration::profile_from_records(records, profile.name, profile.properties, request.product.precision);
  if (!request.kernels.empty()) keep_kernels(judged, request);
  std::vector<std::string> names;
  for (const BenchmarkMatrix& matrix : judged.matrices) names.push_back(matrix.structure.name);
  const std::vector<std::string> apart = names_apart(names);
  const int threads = answers::threads_of_file(request.profile, profile, request.threads, request.listener);
  FitOptions fit = answers::fit_options(profile, request.product.precision, threads, request.listener, request.places);
  answers::require_kind(records, request.records, fit.threads, request.product.precision);
  fit.together = calibration::products_together(records);
  fit.libraries = calibration::libraries_of(records);

  std::unique_ptr<FittedModel> without;
  std::optional<forecast::ModelSet> models;
  if (!request.leave_out.empty()) {
    const wording::Text leave_out = wording::option("leave_out");
    if (!profile.is_measured())
      throw Error(ErrorCode::usage, wording::format("{} is for measured profiles", leave_out), {},
                  "with a data sheet or probe, a matrix is always judged without its imitations");
    if (request.model != forecast::all_models && !forecast::asks_own(request.model))
      throw Error(ErrorCode::usage,
                  wording::format("{} is for the model sparsecast, not '{}'", leave_out, request.model), {},
                  wording::format("omit {}", wording::option("model")));
    without = forecast::fit_sparsecast_model_without(profile, fit, request.leave_out, names);
  } else {
    models.emplace(request.model, profile, fit);
  }

  Evaluation evaluation{.product = request.product};
  std::set<std::string> unknown;
  std::map<int, Recommended> recommended;  // by matrix
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
                                    profile.tier == Tier::data_sheet
                                        ? "no machine of that kind was measured with this kernel"
                                        : "the profile has no records of that kernel"});
    for (const Forecast& forecast : forecasts) {
      recommended[record.matrix].add(forecast, evaluation.cases.size());
      evaluation.cases.push_back({apart[static_cast<std::size_t>(record.matrix)], profile.name, record.kernel,
                                  forecast.model, forecast.seconds, forecast.low_s, forecast.high_s, record.seconds,
                                  record.spread, forecast.extrapolated, 1, 1, forecast.preprocess_s,
                                  record.preprocess_s > 0 ? std::optional(record.preprocess_s) : std::nullopt});
      evaluation.cases.back().nonzeros = structure.nonzeros;
    }
  }
  for (const auto& [matrix, of] : recommended) of.mark(evaluation.cases);
  return evaluation;
}

// Errors and choices are of a matrix, which cases name: two of one name, from two folders, would be taken for one.
void name_apart(std::vector<Subject>& subjects) {
  std::map<std::string, int> known;
  for (const Subject& subject : subjects) ++known[subject.structure.name];
  std::vector<std::string> names;
  for (const Subject& subject : subjects) {
    std::string name = subject.structure.name;
    const auto* file = std::get_if<std::filesystem::path>(subject.input);
    if (known[name] > 1 && file != nullptr && !file->parent_path().filename().empty())
      name = (file->parent_path().filename() / name).string();
    names.push_back(std::move(name));
  }
  names = names_apart(std::move(names));
  for (std::size_t i = 0; i < subjects.size(); ++i) subjects[i].name = std::move(names[i]);
}

// With the matrices of a folder in its place.
std::vector<MatrixInput> without_folders(const EvaluateRequest& request) {
  std::vector<MatrixInput> inputs;
  for (const MatrixInput& input : request.matrices) {
    const auto* path = std::get_if<std::filesystem::path>(&input);
    std::error_code error;
    if (path == nullptr || !std::filesystem::is_directory(*path, error)) {
      inputs.push_back(input);
      continue;
    }
    for (std::filesystem::path& file : answers::matrix_files({path->string()}, request.listener))
      inputs.emplace_back(std::move(file));
  }
  return inputs;
}

// The matrices of these files and folders, measured here and now.
Evaluation evaluate_files(const EvaluateRequest& request) {
  const std::vector<MatrixInput> inputs = without_folders(request);
  const Profile profile = answers::load_profile(request.device, {}, request.listener);
  const std::unique_ptr<hardware::Device> device = hardware::open_device(request.device, request.threads);
  const FitOptions fit = answers::fit_options(profile, request.product.precision, request.threads, request.listener);
  answers::remark_changes(profile, request.listener);
  const forecast::ModelSet models(request.model, profile, fit);
  const forecast::TaskForecast task(profile, fit, request.product);
  const forecast::RecordSet from = forecast::records_for(profile, fit);
  const Judge judge{models, task, profile.properties, forecast::reference_step(profile, from),
                    forecast::reference_launch(profile, from)};
  std::optional<calibration::Store> store = answers::store_to_keep_in(request.listener);
  Evaluation evaluation{.product = request.product};
  std::vector<Subject> subjects(inputs.size());
  std::vector<calibration::KeptTimes> kept(subjects.size());
  for (std::size_t i = 0; i < kept.size(); ++i) subjects[i].input = &inputs[i], subjects[i].kept = &kept[i];
  const auto rounds = calibration::Rounds::on(profile.properties);
  const double steps = static_cast<double>(subjects.size()) * rounds.every;
  double done = 0;
  std::size_t unreadable = 0;  // of the first round; later ones have no kernels of such a matrix to measure
  for (int round = 0; round < rounds.most; ++round) {
    const double spread = calibration::usual_spread(kept);
    for (Subject& subject : subjects) {
      base::throw_if_interrupted();
      if (round > 0 && subject.kernels.empty()) continue;
      if (!rounds.takes(round, *subject.kept, judge.reference_launch, spread)) continue;
      if (request.listener.progress)
        request.listener.progress({std::min(1.0, done++ / steps), -1, name_of(*subject.input)});
      try {
        measure_round(subject, round == 0, *device, store ? &*store : nullptr, judge, request);
      } catch (const Error& error) {
        // One bad file among many does not take the others' results with it; a single one is the whole input.
        if (error.code() != ErrorCode::bad_input || subjects.size() == 1) throw;
        if (++unreadable == subjects.size())
          throw Error(
              error.code(),
              wording::format("none of the {} matrices can be read; of the last: {}", unreadable, error.reason_text()),
              error.place(), error.remedy_text());
        subject.kernels.clear();
        evaluation.skipped.push_back({name_of(*subject.input), "", error.message(request.listener.voice)});
        evaluation.unreadable = true;
      }
    }
    if (round == 1) answers::remark_repeats(calibration::repeat_error(kept), request.listener);
  }
  name_apart(subjects);
  for (const Subject& subject : subjects) judge_subject(subject, judge, evaluation);
  return evaluation;
}

void check_request(const EvaluateRequest& request) {
  using wording::option;
  const wording::Text records = option("records"),
                      table = wording::format("a table of measured times with {}", records);
  if (request.records.empty() == request.matrices.empty())
    throw Error(ErrorCode::usage,
                request.records.empty() ? "nothing to evaluate"
                                        : wording::format("matrix files and {} are given together", records),
                {}, "name matrix files or folders to measure them here, or " + table);
  if (!request.product.plain() && (request.stored || !request.records.empty()))
    throw Error(ErrorCode::usage, "stored and recorded times are for one vector, and for the matrix itself", {},
                wording::format("omit {} and {}, or measure: name matrix files without {}", option("vectors"),
                                option("transposed", true), option("stored", true)));
  if (request.records.empty() && (!request.leave_out.empty() || !request.profile.empty() || !request.anchors.empty()))
    throw Error(ErrorCode::usage,
                wording::format("{}, {} and {} are for {}", option("evaluate.profile"), option("evaluate.anchors"),
                                option("leave_out"), records),
                {}, "name " + table);
}
}  // namespace

Evaluation evaluate(const EvaluateRequest& request) {
  check_request(request);
  const base::StopScope stop(request.listener.stop);
  answers::require_in_range(request);
  Evaluation evaluation = request.records.empty() ? evaluate_files(request) : evaluate_records(request);
  evaluation.summary = summarize(evaluation.cases);
  evaluation.selection = selections(evaluation.cases);
  return evaluation;
}
}  // namespace sparsecast
