// sparsecast evaluate: predicted against measured, every model and kernel.

#include <set>
#include <sparsecast/answers/evaluate.hpp>

#include "app/field_options.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/pictures.hpp"
#include "app/terminal/terminal.hpp"
#include "app/texts.hpp"
#include "base/files.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "fields/answers/evaluate.hpp"
#include "fields/json.hpp"

namespace sparsecast::app {
namespace {
struct EvaluateArguments {
  std::vector<std::string> paths;
  std::string page, picture;
  bool all = false;
  EvaluateRequest request;
};

// How the machine was while the products ran, where it was not always the same.
void print_state(const Evaluation& evaluation, double EvaluationCase::*state, const char* text) {
  std::vector<double> values;
  for (const EvaluationCase& one : evaluation.cases) values.push_back(one.*state);
  std::ranges::sort(values);
  if (values.empty() || values.front() == values.back()) return;
  print(fmt::format("\n{} ({} to {}); the forecasts allow for the machine's state when each product ran\n",
                    fmt::format(fmt::runtime(text), base::format_percent(values[values.size() / 2])),
                    base::format_percent(values.front()), base::format_percent(values.back())));
}

// The forecasts that `predict` would print: of each kernel those of the first model in the summary's order.
bool is_first(const Evaluation& evaluation, const std::string& kernel, const std::string& model) {
  for (const std::string& name : model_names())
    for (const ErrorSummary& s : evaluation.summary)
      if (s.kernel == kernel && s.model == name) return s.model == model;
  return true;
}

std::vector<const EvaluationCase*> first_cases(const Evaluation& evaluation) {
  std::vector<const EvaluationCase*> cases;
  for (const EvaluationCase& one : evaluation.cases)
    if (is_first(evaluation, one.kernel, one.model)) cases.push_back(&one);
  std::ranges::sort(cases, std::ranges::greater(), [](const EvaluationCase* one) { return one->error(); });
  return cases;
}

// What choosing by the forecasts of this model costs.
std::string choice_line(const Evaluation& evaluation, const std::string& model) {
  for (const SelectionSummary& s : evaluation.selection)
    if (s.model == model)
      return fmt::format("the kernel chosen takes {} longer than the fastest on average, {} at most\n",
                         base::format_percent(s.mean_regret), base::format_percent(s.max_regret));
  return {};
}

// How near any forecast can come: products that take another time when they are measured again.
std::string repeats_line(const std::vector<const EvaluationCase*>& cases) {
  double sum = 0, count = 0;
  for (const EvaluationCase* one : cases)
    if (one->repeat_error) {
      sum += *one->repeat_error;
      ++count;
    }
  if (count == 0) return {};
  constexpr double restless = 0.1;
  return fmt::format("measured again, products differ by {} on average{}\n", base::format_percent(sum / count),
                     sum / count < restless ? "" : ": other processes use this machine");
}

std::string headline(const Evaluation& evaluation, const std::vector<const EvaluationCase*>& cases,
                     std::size_t matrices) {
  if (cases.empty()) return "nothing was judged\n";
  double sum = 0, inside = 0;
  for (const EvaluationCase* one : cases) {
    sum += one->error();
    inside += one->low_s <= one->measured_s && one->measured_s <= one->high_s ? 1 : 0;
  }
  const auto count = static_cast<double>(cases.size());
  return fmt::format("{} on average, {} in the median\n{} product{} of {} matri{}, {} within the 90 % interval\n{}{}",
                     base::bold("forecasts are off by " + base::format_percent(sum / count), layout()),
                     base::format_percent(cases[cases.size() / 2]->error()), cases.size(), cases.size() == 1 ? "" : "s",
                     matrices, matrices == 1 ? "x" : "ces", base::format_percent(inside / count),
                     choice_line(evaluation, cases.front()->model), repeats_line(cases));
}

// One line a kernel, and the worst cases by name.
std::string short_text(const Evaluation& evaluation) {
  const std::vector<const EvaluationCase*> cases = first_cases(evaluation);
  std::set<std::string> matrices;
  for (const EvaluationCase* one : cases) matrices.insert(one->matrix);
  base::TextTable table({"kernel", "cases", "mean", "median", "max", "repeats", "in interval"});
  std::size_t kernels = 0, most = 10;
  for (const ErrorSummary& s : evaluation.summary) {
    if (!is_first(evaluation, s.kernel, s.model) || ++kernels > most) continue;
    table.add({s.kernel, std::to_string(s.cases), base::format_percent(s.mean_error),
               base::format_percent(s.median_error), base::format_percent(s.max_error),
               s.mean_repeat_error ? base::format_percent(*s.mean_repeat_error) : "–",
               base::format_percent(s.coverage)});
  }
  std::string text = headline(evaluation, cases, matrices.size()) + '\n' + table.text(layout());
  constexpr std::size_t worst = 3;
  for (std::size_t i = 0; i < std::min(worst, cases.size()); ++i)
    text += fmt::format("{}{} on {}: forecast {}, measured {}\n", i == 0 ? "worst: " : "       ", cases[i]->kernel,
                        cases[i]->matrix, base::format_seconds(cases[i]->predicted_s),
                        base::format_seconds(cases[i]->measured_s));
  if (!evaluation.skipped.empty()) text += fmt::format("{} not judged, ", evaluation.skipped.size());
  return text + (kernels > most ? more_text(kernels - most, "kernel") + ", " : "") +
         "--all shows all models and sizes\n";
}

void print_all(const Evaluation& evaluation) {
  base::TextTable errors({"kernel", "model", "cases", "mean", "median", "90th", "max", "repeats", "in interval",
                          "repeat spread", "conversion"});
  errors.keys(2);
  for (const ErrorSummary& s : evaluation.summary)
    errors.add({s.kernel, s.model, std::to_string(s.cases), base::format_percent(s.mean_error),
                base::format_percent(s.median_error), base::format_percent(s.p90_error),
                base::format_percent(s.max_error),
                s.mean_repeat_error ? base::format_percent(*s.mean_repeat_error) : "–",
                base::format_percent(s.coverage), base::format_percent(s.mean_spread),
                s.preprocess_mean_error ? base::format_percent(*s.preprocess_mean_error) : "?"});
  base::TextTable choices({"model", "matrices", "within 2 %", "mean regret", "max regret"});
  for (const SelectionSummary& s : evaluation.selection)
    choices.add({s.model, std::to_string(s.cases), std::to_string(s.hits), base::format_percent(s.mean_regret),
                 base::format_percent(s.max_regret)});
  print(
      fmt::format("error |predicted − measured| / measured; repeats: the same for one round against the "
                  "other\n\n{}\nkernel chosen by each model\n\n{}",
                  errors.text(layout()), choices.text(layout())));
  if (const std::string scatter = scatter_text(evaluation.cases, layout()); !scatter.empty()) print("\n" + scatter);
  print_state(evaluation, &EvaluationCase::core_speed, "the core ran at {} of its speed during the calibration");
  print_state(evaluation, &EvaluationCase::launch_ratio, "threads took {} of the calibration's time to start");
  if (evaluation.skipped.empty()) return;
  base::TextTable skipped({"not judged", "kernel", "reason"});
  skipped.words_last();
  for (const NotJudged& s : evaluation.skipped) skipped.add({s.matrix, s.kernel, s.reason});
  print("\n" + skipped.text(layout()));
}

void evaluate(const EvaluateArguments& options, const Globals& globals) {
  require_svg(options.picture);
  ProgressBar bar(globals);
  EvaluateRequest request = options.request;
  tell_globals(request, globals, &bar);
  for (const std::filesystem::path& file : matrix_files(options.paths, globals)) request.matrices.emplace_back(file);
  const Evaluation evaluation = sparsecast::evaluate(request);
  bar.clear();
  if (!options.picture.empty())
    base::write_file_atomically(options.picture, scatter_svg(evaluation.cases), {.what = "picture"});
  Page page(options.page, globals);
  if (page.wanted()) page.write("Forecasts against measured times", "evaluate", fields::written(evaluation));
  globals.json  ? print_json("evaluate", fields::written(evaluation))
  : options.all ? print_all(evaluation)
                : print(short_text(evaluation));
  if (evaluation.unreadable)
    throw Error(ErrorCode::bad_input,
                "some files could not be read; they are listed under \"not judged\", the others were evaluated");
}
}  // namespace

void add_evaluate(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("evaluate", "Predicted against measured, every model and kernel");
  auto options = std::make_shared<EvaluateArguments>();
  FieldOptions add(*command, options->request);
  add.positional<&EvaluateRequest::matrices>("PATH", options->paths);
  add.options<&EvaluateRequest::device, &EvaluateRequest::records, &EvaluateRequest::profile,
              &EvaluateRequest::anchors>();
  add.option<&EvaluateRequest::leave_out>()->type_name("COLUMN");
  add.options<&EvaluateRequest::model, &EvaluateRequest::stored, &EvaluateRequest::no_store, &EvaluateRequest::places,
              &EvaluateRequest::kernels>();
  add_task_options(*command, options->request.product);
  command->add_flag("--all", options->all, "show every model and kernel, by size, and what was not judged");
  command->add_option("-o,--output", options->picture,
                      "write forecast / measured time by decade of non-zeros as a picture (.svg)");
  add_page_option(*command, options->page);
  command->callback([options, &globals] { evaluate(*options, globals); });
}
}  // namespace sparsecast::app
