// sparsecast measure: the truth, by the same kernels.

#include <sparsecast/answers/measure.hpp>

#include "app/field_options.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/pictures.hpp"
#include "app/terminal/terminal.hpp"
#include "app/texts.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "fields/answers/measure.hpp"
#include "fields/json.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::app {
namespace {
struct MeasureArguments {
  std::vector<std::string> matrices;
  std::string page;
  bool verbose = false;
  MeasureRequest request;
};

// Every kernel with all that is known of its time; what was not timed with the reason below.
std::string all_times_text(const MeasuredTimes& answer, std::int64_t iterations) {
  std::vector<std::string> head{"kernel", "measured", "5 % – 95 %", "spread", "GF/s", "conversion"};
  // The page has room for one of the two.
  head.emplace_back(iterations > 0 ? "total" : "products");
  base::TextTable table(head);
  for (const KernelTime& m : answer.measurements) {
    if (!m.seconds) {
      table.add_with_note({m.kernel}, m.status);
      continue;
    }
    table.add({m.kernel, base::format_seconds(*m.seconds),
               base::format_seconds(*m.low_s) + " – " + base::format_seconds(*m.high_s), base::format_percent(m.spread),
               fmt::format("{:.2f}", *m.gflops), seconds_text(m.preprocess_s),
               iterations > 0 ? seconds_text(m.total_s) : base::format_count(m.repeats)});
  }
  return table.text(layout());
}

// The first ones, and csr, which others are held against.
std::string first_times_text(const MeasuredTimes& answer, std::int64_t iterations) {
  constexpr std::size_t most = 12;
  std::vector<std::vector<std::string>> rows{{"kernel", "measured", "5 % – 95 %", "conversion"}};
  rows.front().emplace_back(iterations > 0 ? "total" : "spread");  // the page has room for one of the two
  std::vector<Interval> intervals;
  std::string untimed;
  std::size_t more = 0;
  for (const KernelTime& m : answer.measurements) {
    if (!m.seconds) {
      untimed += (untimed.empty() ? "" : ", ") + m.kernel;
    } else if (intervals.size() >= most && m.kernel != formats::default_kernel().name) {
      ++more;
    } else {
      intervals.push_back({*m.low_s, *m.seconds, *m.high_s});
      rows.push_back({m.kernel, base::format_seconds(*m.seconds),
                      base::format_seconds(*m.low_s) + " – " + base::format_seconds(*m.high_s),
                      seconds_text(m.preprocess_s),
                      iterations > 0 ? seconds_text(m.total_s) : base::format_percent(m.spread)});
    }
  }
  std::string text = intervals.empty() ? "" : bar_table(rows, 3, intervals, layout());
  if (!untimed.empty()) text += "not timed: " + untimed + "; -v says why\n";
  return text + (more > 0 ? more_text(more, "kernel") + " with -v\n" : "");
}

std::string fastest_text(const MeasuredTimes& answer, std::int64_t iterations) {
  const KernelTime* first = nullptr;
  const KernelTime* plain = nullptr;
  for (const KernelTime& m : answer.measurements) {
    if (!m.seconds) continue;
    if (first == nullptr) first = &m;  // the answer's order
    if (m.kernel == formats::default_kernel().name) plain = &m;
  }
  if (first == nullptr) return "no kernel was timed\n";
  std::string text =
      fmt::format("{}: {} a product",
                  base::bold(first->kernel + (iterations > 0 ? " finishes first" : " is the fastest"), layout()),
                  base::format_seconds(*first->seconds));
  if (iterations > 0) text += fmt::format(", {} in {}", base::format_count(iterations), seconds_text(first->total_s));
  if (plain != nullptr && plain != first)
    text += fmt::format(", {:.1f} × as fast as {}", *plain->seconds / *first->seconds, plain->kernel);
  return text + '\n';
}

std::string measurements_text(const MeasuredTimes& answer, const MeasureArguments& options) {
  const std::int64_t iterations = options.request.iterations;
  const bool all = options.verbose || options.request.every || !options.request.kernels.empty();
  return fmt::format("{}\n{}, on {} in {} precision{}\n\n{}{}", fastest_text(answer, iterations),
                     size_text(answer.matrix), options.request.device, to_string(answer.product.precision),
                     task_text(answer.product),
                     all ? all_times_text(answer, iterations) : first_times_text(answer, iterations),
                     iterations > 0 ? "total: " + total_heading(iterations) + "\n" : "");
}

void measure(const MeasureArguments& options, const Globals& globals) {
  MeasureRequest request = options.request;
  tell_globals(request, globals);
  Page page(options.page, globals);
  page.add_machine(hardware::open_device(request.device, globals.threads)->properties());
  nlohmann::ordered_json documents = nlohmann::ordered_json::array();
  const std::vector<std::filesystem::path> files = matrix_files(options.matrices, globals);
  Failures failures(files.size());
  int answered = 0;
  for (const auto& file : files) {
    std::optional<Matrix> read;
    failures.attempt([&] { read = read_input(file, globals); });
    if (!read) continue;
    if (page.wanted()) page.look_at(*read);
    request.matrix = std::move(*read);
    const MeasuredTimes answer = sparsecast::measure(request);
    if (!globals.json)
      print((answered++ > 0 ? "\n" : "") + measurements_text(answer, options) +
            (answer.powers ? "\n" + matrix_powers_text(*answer.powers) : ""));
    if (globals.json || page.wanted()) documents.push_back(fields::written(answer));
  }
  if (documents.empty()) return failures.finish();
  const bool several = documents.size() > 1 || !failures.none();
  const char* name = several ? "measures" : "measure";
  const nlohmann::ordered_json document = several ? nlohmann::ordered_json{{"measures", documents}} : documents[0];
  if (globals.json) print_json(name, document);
  page.write("Measured times" + (several ? "" : " of " + document["matrix"]["name"].get<std::string>()), name,
             document);
  failures.finish();
}
}  // namespace

void add_measure(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("measure", "Time every kernel on a matrix");
  auto options = std::make_shared<MeasureArguments>();
  FieldOptions add(*command, options->request);
  add.positional<&MeasureRequest::matrix>("MATRIX", options->matrices)->required();
  add.options<&MeasureRequest::device, &MeasureRequest::kernels>();
  add.option<&MeasureRequest::every>("--all");
  command->add_flag("-v,--verbose", options->verbose,
                    "show every kernel with its rate and spread, and why one was not timed");
  add.options<&MeasureRequest::iterations, &MeasureRequest::powers, &MeasureRequest::no_store>();
  add_task_options(*command, options->request.product);
  add_page_option(*command, options->page);
  command->callback([options, &globals] { measure(*options, globals); });
}
}  // namespace sparsecast::app
