// sparsecast plan: how a matrix is multiplied fastest, and on request the truth about it. `optimize` is its former
// name.

#include <sparsecast/answers/plan_report.hpp>

#include "app/field_options.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/terminal/terminal.hpp"
#include "app/texts.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "fields/answers/plan_report.hpp"
#include "fields/json.hpp"
#include "fields/plan_request.hpp"
#include "formats/kernels.hpp"
#include "planning/run/turns.hpp"

namespace sparsecast::app {
namespace {
using planning::gain_text;

struct PlanArguments {
  std::string matrix, page;
  std::string reorder = "auto";  // what was typed behind --reorder, empty where nothing was
  PlanReportRequest request;
  bool no_probe = false, all = false;
  ProductKind task;
};

// A profile that tells of no conversion does not say that there is none.
bool knows_conversions(const Strategy& s) {
  return std::ranges::any_of(s.singles, [](const SingleKernel& single) { return single.conversion_s > 0; });
}

std::string conversion_text(double seconds, const std::string& kernel, bool known) {
  if (seconds > 0) return base::format_seconds(seconds);
  return known || kernel == formats::default_kernel().name ? "–" : "?";
}

std::string blocks_text(const Strategy& s, std::size_t most) {
  const std::vector<PlannedBlock>& blocks = s.blocks;
  const bool known = knows_conversions(s);
  base::TextTable table({"strips", "rows", "kernel", "predicted", "conversion"});
  for (const PlannedBlock& block : std::span(blocks).first(std::min(most, blocks.size())))
    table.add({fmt::format("[{}, {}]", block.first_strip, block.last_strip),
               block.last_row < block.first_row  // of a matrix without rows
                   ? "–"
                   : fmt::format("{} – {}", base::format_count(block.first_row), base::format_count(block.last_row)),
               block.kernel + (block.reordered ? ", rows sorted" : "") + (block.extrapolated ? " *" : ""),
               base::format_seconds(block.seconds), conversion_text(block.conversion_s, block.kernel, known)});
  return table.text(layout()) +
         (std::ranges::any_of(blocks, &PlannedBlock::extrapolated) ? "* extrapolated: beyond what was measured there\n"
                                                                   : "") +
         (blocks.size() > most ? more_text(blocks.size() - most, "block") + " with --all\n" : "");
}

std::string break_even_text(const Strategy& s) {
  if (s.break_even < -1) return "from when on its conversion pays against csr is not known\n";
  if (s.break_even < 0) return "its conversion never pays against csr\n";
  if (s.break_even == 0) return "it costs no more to make than csr\n";
  return fmt::format("its conversion pays from {} products on, against csr\n", base::format_count(s.break_even));
}

std::string singles_text(const Strategy& s, bool measured, std::size_t most) {
  std::vector<std::string> head{"single kernel", "predicted", "conversion"};
  if (measured) head.emplace_back("measured");
  base::TextTable table(head);
  const bool known = knows_conversions(s);
  for (const SingleKernel& single : std::span(s.singles).first(std::min(most, s.singles.size()))) {
    std::vector<std::string> row{single.kernel, base::format_seconds(single.seconds),
                                 conversion_text(single.conversion_s, single.kernel, known)};
    if (measured && !single.measured_s) {
      table.add_with_note(row, single.status);
      continue;
    }
    if (measured) row.push_back(base::format_seconds(*single.measured_s));
    table.add(row);
  }
  return table.text(layout()) +
         (s.singles.size() > most ? more_text(s.singles.size() - most, "kernel") + " with --all\n" : "");
}

// The answer: one kernel or a cut, how long a product takes, and what that gains over csr.
std::string plan_text(const Strategy& s) {
  if (s.blocks.empty()) return "the matrix has no rows\n";
  const std::string what = s.blocks.size() > 1 ? fmt::format("cut the rows into {} blocks", s.blocks.size())
                                               : fmt::format("use {} for all rows", s.blocks.front().kernel);
  const auto beyond = std::ranges::count_if(s.blocks, &PlannedBlock::extrapolated);
  if (beyond == std::ssize(s.blocks))
    return fmt::format(
        "{}\nextrapolated beyond what was measured, the best plan is to {}: {} a product\n",
        base::bold("no recommendation: the model that was asked for does not reach this matrix", layout()), what,
        base::format_seconds(s.predicted_s));
  std::string text = fmt::format("{}: {} a product", base::bold(what, layout()), base::format_seconds(s.predicted_s));
  if (beyond > 0) return text + fmt::format(", {} of the blocks extrapolated\n", base::format_count(beyond));
  const auto plain = std::ranges::find(s.singles, formats::default_kernel().name, &SingleKernel::kernel);
  if (plain != s.singles.end() && plain->seconds > 1.05 * s.predicted_s)
    text += fmt::format(", {:.1f} × as fast as {}", plain->seconds / s.predicted_s, plain->kernel);
  return text + '\n';
}

// Whether it can run is told first.
std::string where_text(const PlanReport& answer) {
  return answer.tier == Tier::data_sheet ? ",\nby its data sheet: nothing was measured there, and nothing runs there"
                                         : "";
}

std::string strategy_text(const PlanReport& answer, const ProductKind& task, bool all) {
  const Strategy& s = answer.strategy;
  const std::size_t most = all ? s.blocks.size() + s.singles.size() : 5;
  std::string text = fmt::format("{}{}, on {} in {} precision{}{}; {} strip{} of {} rows\n\n{}\n", plan_text(s),
                                 size_text(answer.matrix), s.device, to_string(answer.precision), task_text(task),
                                 where_text(answer), base::format_count(s.strips), s.strips == 1 ? "" : "s",
                                 base::format_count(s.strip_rows), blocks_text(s, most));
  text += fmt::format("predicted {}{}, best single kernel {} {}; {}\n", base::format_seconds(s.predicted_s),
                      threads_text(" on ", s.threads), s.best_single.kernel,
                      base::format_seconds(s.best_single.seconds), s.reason);
  if (!s.best_cut.empty()) text += fmt::format("best cut: {} blocks, {}\n", s.best_cut.size(), gain_text(s));
  if (s.transpose) text += s.transpose->reason + "\n";
  if (s.trials) text += trials_text(*s.trials);
  text += break_even_text(s);
  text += fmt::format("planned in {}\n\n{}", base::format_seconds(s.planning_s),
                      singles_text(s, answer.measured.has_value(), most));
  if (const std::optional<MeasuredPlan>& m = answer.measured)
    text += fmt::format("\nmeasured: plan {}, {} {}; {} over {} rounds; fastest single {} {}\n",
                        base::format_seconds(m->seconds), s.best_single.kernel,
                        base::format_seconds(*s.best_single.measured_s),
                        gain_text(m->gain, m->gain_low, m->gain_high, "the noise"), m->rounds, m->fastest.kernel,
                        base::format_seconds(m->fastest.seconds));
  return text;
}

std::string orders_text(const std::vector<OrderAnswer>& trials) {
  base::TextTable table({"order", "predicted", "gain", "costs"});
  for (const OrderAnswer& trial : trials)
    table.add_with_note(
        {std::string(to_string(trial.order)), trial.tried ? base::format_seconds(*trial.seconds) : "–",
         trial.tried ? base::format_percent(*trial.gain) : "–",
         (trial.tried ? "" : "about ") + base::format_seconds(trial.tried ? *trial.reordering_s : trial.forecast_s)},
        trial.reason.empty() ? "taken" : trial.reason);
  return table.text(layout());
}

std::string order_text(const FoundOrder& found) {
  std::string text = fmt::format("\norder of rows and columns: {}; {}\n", to_string(found.order), found.reason);
  if (!found.orders.empty()) text += orders_text(found.orders);
  if (found.order != Ordering::none)
    text += fmt::format("{} over {} in the old order; put in order in {}\n",
                        gain_text(found.gain, found.gain_low, found.gain_high, "the forecast's uncertainty"),
                        base::format_seconds(found.predicted_as_it_is_s), base::format_seconds(found.reordering_s));
  if (const std::optional<MeasuredReordering>& m = found.measured; m && m->rounds > 0)
    text += fmt::format("measured: {} in the old order, {} in the new; {} over {} rounds; put in order in {}\n",
                        base::format_seconds(m->old_s), base::format_seconds(m->new_s),
                        gain_text(m->gain, m->gain_low, m->gain_high, "the noise"), m->rounds,
                        base::format_seconds(m->reordering_s));
  return text;
}

std::string transpose_text(const StoredTranspose& stored) {
  if (!stored.times) return "\nthe matrix is symmetric: multiply by it as it is\n";
  const StoredTransposeTimes& times = *stored.times;
  return fmt::format(
      "\nstored as a matrix of its own, Aᵀ takes {} a product ({}) and {} to make: it {}\n",
      base::format_seconds(times.seconds), times.kernel, base::format_seconds(times.transpose_s + times.conversion_s),
      times.pays_from ? fmt::format("pays from {} products on", base::format_count(*times.pays_from)) : "does not pay");
}

std::string solver_text(const FirstSolver& first) {
  return fmt::format("\n{} finishes first with preconditioner {} and {}{}: {} iterations of {}, {} in all\n",
                     first.method, first.preconditioner, first.format, threads_text(" on ", first.threads),
                     base::format_count(first.iterations), base::format_seconds(first.iteration_s),
                     base::format_seconds(first.total_s));
}

PlanReportRequest request_of(const PlanArguments& options, const Matrix& matrix, const Globals& globals) {
  PlanReportRequest request = options.request;
  request.plan.matrix = matrix;
  tell_globals(request.plan, globals);
  request.check_drift = !options.no_probe;
  StrategyOptions& strategy = request.plan.strategy;
  strategy.vectors = options.task.vectors;
  strategy.transposed = options.task.transposed;
  if (options.reorder == "never")
    strategy.reorder = Reorder::never;
  else if (options.reorder == "always")
    strategy.reorder = Reorder::always;
  else if (options.reorder != "auto")
    request.order = options.reorder.empty() ? Ordering::none : ordering_from(options.reorder);
  return request;
}

void report_plan(const PlanArguments& options, const Globals& globals) {
  const Matrix matrix = read_input(matrix_file(options.matrix, globals), globals);
  const PlanReportRequest request = request_of(options, matrix, globals);
  const PlanReport answer = plan_report(request);
  Page page(options.page, globals);
  if (page.wanted()) {
    page.look_at(answer.planned);
    page.add_machine(answers::load_machine(request.plan.device, request.plan.profile.string(), request.plan.listener));
    page.write("Plan for " + matrix.name(), "optimize", fields::written(answer));
  }
  if (globals.json) return print_json("optimize", fields::written(answer));
  const std::string& from = answer.of_other_precision;
  print(strategy_text(answer, options.task, options.all) + (answer.order ? order_text(*answer.order) : "") +
        (answer.stored_transpose ? transpose_text(*answer.stored_transpose) : "") +
        (answer.strategy.powers ? "\n" + matrix_powers_text(*answer.strategy.powers) : "") +
        (answer.solver ? solver_text(*answer.solver) : "") + (from.empty() ? from : "\n" + from + "\n"));
}

void add_own_options(CLI::App& command, PlanArguments& options) {
  command
      .add_option("--reorder", options.reorder,
                  "without a value: reorder rows and columns by Reverse Cuthill-McKee if that is forecast to pay; rcm: "
                  "reorder them in any case (x and y are permuted once, outside a solve); auto, never, always: sort "
                  "only the rows of csr blocks, by length (default: auto)")
      ->expected(0, 1)
      ->check(CLI::IsMember({"auto", "never", "always", "rcm"}));
  FieldOptions add(command, options.request);
  FieldOptions of_plan(command, options.request.plan);
  add.option<&PlanReportRequest::verify>();
  command.add_flag("--all", options.all, "show every block and every single kernel");
  add_probe_option(command, options.no_probe);
  of_plan.option<&PlanRequest::powers>();
  of_plan.option<&PlanRequest::no_store>();
  add.option<&PlanReportRequest::save>();
  add_task_options(command, options.task);
  add_page_option(command, options.page);
}

CLI::App* add_command(CLI::App& root, const Globals& globals, const char* name, const char* about) {
  CLI::App* command = root.add_subcommand(name, about);
  auto options = std::make_shared<PlanArguments>();
  FieldOptions add(*command, options->request.plan);
  FieldOptions of_report(*command, options->request);
  FieldOptions of_strategy(*command, options->request.plan.strategy);
  command->add_option("MATRIX", options->matrix, "a matrix file, or ss:GROUP/NAME")->required();
  add.options<&PlanRequest::device, &PlanRequest::profile>();
  std::vector<std::string> models = model_names();
  models.insert(models.begin(), "best");
  add.option<&PlanRequest::model>()->check(CLI::IsMember(models));
  of_strategy.option<&StrategyOptions::iterations>()->check(CLI::NonNegativeNumber);
  of_report.option<&PlanReportRequest::solver>();
  add.option<&PlanRequest::trials>();
  add.option<&PlanRequest::products>();
  of_strategy.option<&StrategyOptions::max_blocks>()->check(CLI::PositiveNumber);
  of_strategy.option<&StrategyOptions::strip_rows>()->check(CLI::PositiveNumber);
  of_strategy.option<&StrategyOptions::kernels>();
  of_strategy.option<&StrategyOptions::always_cut>();
  add_own_options(*command, *options);
  command->callback([options, &globals] { report_plan(*options, globals); });
  return command;
}
}  // namespace

void add_plan(CLI::App& root, const Globals& globals) {
  add_command(root, globals, "plan", "Find the fastest way to multiply a matrix; --verify measures it");
}

// The name of version 0.1, which goes with the version after this one.
void add_optimize(CLI::App& root, const Globals& globals) {
  add_command(root, globals, "optimize", "The former name of `plan`")->group("");
}
}  // namespace sparsecast::app
