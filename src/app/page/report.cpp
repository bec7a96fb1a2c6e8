// sparsecast report: everything about some matrices on one page, from the same documents that the commands print; or
// two documents side by side.

#include <CLI/CLI.hpp>
#include <sparsecast/answers/evaluate.hpp>
#include <sparsecast/answers/measure.hpp>
#include <sparsecast/answers/plan_report.hpp>

#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/interrupt.hpp"
#include "calibration/measurement.hpp"
#include "fields/answers/evaluate.hpp"
#include "fields/answers/measure.hpp"
#include "fields/answers/plan_report.hpp"
#include "fields/answers/predict.hpp"
#include "fields/json.hpp"

namespace sparsecast::app {
namespace {
struct ReportArguments {
  std::vector<std::string> matrices, compare;
  std::string output, device = "host";
  std::int64_t iterations = 0;
  bool no_measure = false;
};

nlohmann::ordered_json read_document(const std::string& file) {
  auto document = base::parse_json(base::read_file(file, {.what = "document"}),
                                   {file, "a document is what a command prints with --json, or what a page saves"});
  if (!document.is_object() || !document.contains("schema"))
    throw Error(ErrorCode::bad_input, "not a document of Sparsecast", {file},
                "a document is what a command prints with --json, or what a page saves");
  return document;
}

// What the commands would ask of every matrix.
template <class Request>
Request request_for(const ReportArguments& options, const Globals& globals) {
  Request request;
  request.device = options.device;
  tell_globals(request, globals);
  return request;
}

// Kernels that were timed and the model that forecast them, for evaluate: it would measure the others now.
struct Timed {
  std::vector<std::string> judged;  // files that were measured
  std::vector<std::string> kernels;
  std::string model;
};

void note_timed(const MeasuredTimes& measured, std::vector<std::string>& kernels) {
  for (const KernelTime& one : measured.measurements)
    if (one.status == calibration::Measurement::timed_word && std::ranges::find(kernels, one.kernel) == kernels.end())
      kernels.push_back(one.kernel);
}

bool is_here(const std::string& device) {
  return device == "host" || device.starts_with("opencl:") || device.starts_with("cuda:");
}

void add_plan(Page& page, const std::string& file, const ReportArguments& options, const Globals& globals) try {
  remark(globals, file + ": planning");
  PlanReportRequest request{.plan = request_for<PlanRequest>(options, globals)};
  request.plan.matrix = std::filesystem::path(file);
  request.plan.strategy.iterations = options.iterations;
  request.verify = !options.no_measure && options.device == "host";
  page.add("optimize", with_schema("optimize", fields::written(plan_report(request))));
} catch (const Error& error) {
  // Not every device has what a plan needs; the forecast stands without one.
  if (error.code() == ErrorCode::interrupted) throw;
  remark(globals, fmt::format("no plan: {}", error.message(Voice::command_line)));
}

// Everything about one matrix; returns its name.
std::string add_matrix(Page& page, const std::string& file, const ReportArguments& options, const Globals& globals,
                       Timed& timed) {
  const bool structure_only = file.ends_with(".json");
  if (!structure_only) page.look_at(read_input(file, globals));
  remark(globals, file + ": forecasting");
  auto asked = request_for<PredictRequest>(options, globals);
  asked.matrix = std::filesystem::path(file);
  asked.iterations = options.iterations;
  asked.check_drift = true;
  const Prediction predicted = predict(asked);
  page.add("predict", with_schema("predict", fields::written(predicted)));
  if (structure_only || !is_here(options.device)) return predicted.matrix.name;
  base::throw_if_interrupted();
  if (!options.no_measure) {
    remark(globals, file + ": measuring");
    auto request = request_for<MeasureRequest>(options, globals);
    request.matrix = std::filesystem::path(file);
    request.product = asked.product;
    request.iterations = options.iterations;
    const MeasuredTimes measured = measure(request);
    if (!is_complex(measured.product.precision)) {  // errors are judged of real values
      note_timed(measured, timed.kernels);
      timed.judged.push_back(file);
    }
    if (!predicted.forecasts.empty()) timed.model = predicted.forecasts.front().model;
    page.add("measure", with_schema("measure", fields::written(measured)));
    base::throw_if_interrupted();
  }
  add_plan(page, file, options, globals);
  return predicted.matrix.name;
}

// Returns the name of the last matrix, and which files could not be read.
std::string add_matrices(Page& page, const std::vector<std::filesystem::path>& files, const ReportArguments& options,
                         const Globals& globals, std::vector<std::string>& unread) {
  Timed timed;
  std::string name;
  for (const std::filesystem::path& file : files) {
    try {
      name = add_matrix(page, file.string(), options, globals, timed);
    } catch (const Error& error) {
      // One bad file among many does not take the others' results with it; a single one is the whole input.
      if (error.code() != ErrorCode::bad_input || files.size() == 1) throw;
      remark(globals, error.message(Voice::command_line));
      unread.push_back(file.string());
    }
  }
  if (timed.kernels.empty() || timed.model.empty()) return name;
  auto request = request_for<EvaluateRequest>(options, globals);
  request.stored = true;
  request.model = timed.model;
  request.kernels = timed.kernels;
  for (const std::string& file : timed.judged) request.matrices.emplace_back(std::filesystem::path(file));
  page.add("evaluate", with_schema("evaluate", fields::written(evaluate(request))));
  return name;
}

void report(const ReportArguments& options, const Globals& globals) {
  Page page(options.output, globals);
  std::vector<std::string> unread;
  if (!options.compare.empty()) {
    page.compare(read_document(options.compare[0]), read_document(options.compare[1]));
    page.write(fmt::format("{} and {}", std::filesystem::path(options.compare[0]).filename().string(),
                           std::filesystem::path(options.compare[1]).filename().string()));
  } else {
    if (options.matrices.empty())
      throw Error(ErrorCode::usage, "nothing to report", {}, "name matrices, or two documents with --compare");
    page.add_machine(answers::load_machine(options.device, {}, listener_of(globals)));
    const std::vector<std::filesystem::path> files = matrix_files(options.matrices, globals);
    const std::string name = add_matrices(page, files, options, globals, unread);
    if (unread.size() == files.size())
      throw Error(ErrorCode::bad_input, "none of the files could be read", {unread.front()});
    page.write(files.size() == 1 ? name : fmt::format("{} matrices", files.size() - unread.size()));
  }
  if (globals.json) print_json("page", page.data());
  if (!unread.empty())
    throw Error(ErrorCode::bad_input,
                fmt::format("{} of the files could not be read; the page shows the others", unread.size()),
                {unread.front()});
}
}  // namespace

void add_report(CLI::App& root, const Globals& globals) {
  CLI::App* command =
      root.add_subcommand("report", "Write one page about some matrices, or one that compares two documents");
  auto options = std::make_shared<ReportArguments>();
  CLI::Option* matrices = command->add_option(
      "MATRIX", options->matrices, "matrix files, folders of them, or structures (.json) as `info --json` prints them");
  command->add_option("-o,--output", options->output, "the HTML file to write; it needs no other files")->required();
  command
      ->add_option("--compare", options->compare,
                   "compare two documents, before and after, that a command printed with --json or that pages saved")
      ->expected(2)
      ->excludes(matrices);
  command->add_option("--device", options->device, "host, opencl:N, cuda:N or a known machine's name")
      ->capture_default_str();
  command->add_option("--iterations", options->iterations, "rank by the time of N products, conversion included")
      ->check(CLI::PositiveNumber);
  command->add_flag("--no-measure", options->no_measure, "only forecast and plan; time nothing");
  command->callback([options, &globals] { report(*options, globals); });
}
}  // namespace sparsecast::app
