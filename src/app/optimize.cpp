// sparsecast optimize: the best row-block strategy for a matrix, and on request the truth about it.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/plan.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "app/optimize/devices.hpp"
#include "app/optimize/reordering.hpp"
#include "app/page/page.hpp"
#include "app/profile_check.hpp"
#include "app/solver_choice.hpp"
#include "app/task_options.hpp"
#include "app/terminal/terminal.hpp"
#include "base/text.hpp"
#include "forecast/record_choice.hpp"
#include "plan/run/gain_text.hpp"
#include "plan/run/measured_gain.hpp"
#include "plan/run/strategy_json.hpp"
#include "plan/run/transpose_advice.hpp"

namespace sparsecast::app {
namespace {

struct OptimizeArguments {
  std::string matrix;
  std::string device = "host";
  std::string profile;
  std::string save;
  std::string page;
  std::string model = "best";
  std::string solver;
  StrategyOptions strategy;
  ReorderArgument reorder;
  DevicesArgument devices;
  bool verify = false;
  bool no_probe = false;
  devices::ProductTask task;
};

std::string blocks_text(const std::vector<PlannedBlock>& blocks) {
  base::TextTable table({"strips", "rows", "kernel", "predicted", "conversion"});
  for (const PlannedBlock& block : blocks)
    table.add({fmt::format("[{}, {}]", block.first_strip, block.last_strip),
               fmt::format("{} – {}", base::format_count(block.first_row), base::format_count(block.last_row)),
               block.kernel + (block.reordered ? ", rows sorted" : ""), base::format_seconds(block.seconds),
               block.conversion_s > 0 ? base::format_seconds(block.conversion_s) : "–"});
  return table.text(layout());
}

std::string break_even_text(const Strategy& s) {
  if (s.break_even < 0) return "its conversion never pays against csr\n";
  // A profile that tells of no conversion does not say that there is none.
  const auto known = [](const SingleKernel& single) { return single.conversion_s > 0; };
  const auto plain = [](const PlannedBlock& block) { return block.kernel == "csr" && !block.reordered; };
  if (s.break_even == 0 && std::ranges::none_of(s.singles, known) && !std::ranges::all_of(s.blocks, plain))
    return "what its conversion takes is not known\n";
  if (s.break_even == 0) return "it costs no more to make than csr\n";
  return fmt::format("its conversion pays from {} products on, against csr\n", base::format_count(s.break_even));
}

std::string singles_text(const Strategy& s, const planning::MeasuredGain* measured) {
  std::vector<std::string> head{"single kernel", "predicted", "conversion"};
  if (measured != nullptr) head.emplace_back("measured");
  base::TextTable table(head);
  for (std::size_t i = 0; i < s.singles.size(); ++i) {
    const SingleKernel& single = s.singles[i];
    std::vector<std::string> row{single.kernel, base::format_seconds(single.seconds),
                                 single.conversion_s > 0 ? base::format_seconds(single.conversion_s) : "–"};
    if (measured != nullptr && measured->singles[i].status != "ok") {
      table.add_with_note(row, measured->singles[i].status);
      continue;
    }
    if (measured != nullptr) row.push_back(base::format_seconds(measured->singles[i].seconds));
    table.add(row);
  }
  return table.text(layout());
}

std::string strategy_text(const Matrix& matrix, const Strategy& s, const planning::MeasuredGain* measured,
                          const devices::ProductTask& task, const Globals& globals) {
  std::string text = fmt::format("{}: {} × {}, {} non-zeros, on {} in {} precision{}; {} strips of {} rows\n\n{}\n",
                                 matrix.name(), base::format_count(matrix.rows()), base::format_count(matrix.cols()),
                                 base::format_count(matrix.nonzeros()), s.device, globals.precision, task_text(task),
                                 base::format_count(s.strips), base::format_count(s.strip_rows), blocks_text(s.blocks));
  text += fmt::format("predicted {}, best single kernel {} {}; {}\n", base::format_seconds(s.predicted_s),
                      s.best_single.kernel, base::format_seconds(s.best_single.seconds), s.reason);
  if (!s.best_cut.empty())
    text += fmt::format("best cut: {} blocks, {}\n", s.best_cut.size(),
                        planning::gain_text(s.gain, s.gain_low, s.gain_high, "the forecast's uncertainty"));
  text += break_even_text(s);
  text += fmt::format("planned in {}\n\n{}", base::format_seconds(s.planning_s), singles_text(s, measured));
  if (measured != nullptr)
    text += fmt::format("\nmeasured: plan {}, {} {}; {} over {} rounds; fastest single {} {}\n",
                        base::format_seconds(measured->plan_s), s.best_single.kernel,
                        base::format_seconds(measured->best_single_s),
                        planning::gain_text(measured->gain, measured->low, measured->high, "the noise"),
                        measured->rounds, measured->fastest, base::format_seconds(measured->fastest_s));
  return text;
}

nlohmann::ordered_json transpose_json(const planning::TransposeAdvice& advice) {
  if (advice.symmetric) return {{"symmetric", true}};
  return {{"symmetric", false},
          {"kernel", advice.kernel},
          {"seconds", advice.seconds},
          {"conversion_s", advice.conversion_s},
          {"transpose_s", advice.transpose_s},
          {"pays_from", advice.pays_from < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(advice.pays_from)}};
}

nlohmann::ordered_json strategy_document(const Matrix& matrix, const Profile& profile, const Strategy& s,
                                         const planning::MeasuredGain* measured, const devices::ProductTask& task,
                                         const std::optional<forecast::Drift>& drift, const std::string& model,
                                         const Globals& globals) {
  nlohmann::ordered_json out{
      {"matrix",
       {{"name", matrix.name()}, {"rows", matrix.rows()}, {"cols", matrix.cols()}, {"nonzeros", matrix.nonzeros()}}},
      {"device", device_json(profile.properties)},
      {"precision", globals.precision},
      {"model", model}};
  add_task(out, task);
  out.update(planning::strategy_to_json(s));
  out["records_precision"] = to_string(forecast::records_for(profile, fit_options(profile, globals)).precision);
  out["drift"] = drift_json(drift);
  if (measured == nullptr) return out;
  out["measured_s"] = measured->plan_s;
  out["best_single"]["measured_s"] = measured->best_single_s;
  for (std::size_t i = 0; i < measured->singles.size(); ++i) {
    if (measured->singles[i].status == "ok") out["singles"][i]["measured_s"] = measured->singles[i].seconds;
    out["singles"][i]["status"] = measured->singles[i].status;
  }
  out["measured_conversion_s"] = measured->conversion_s;
  out["measured_gain"] = measured->gain;
  out["measured_gain_low"] = measured->low;
  out["measured_gain_high"] = measured->high;
  out["measured_gain_in_noise"] = measured->low <= 0 && measured->high >= 0;
  out["fastest_single"] = {{"kernel", measured->fastest}, {"measured_s", measured->fastest_s}};
  out["rounds"] = measured->rounds;
  out["largest_error"] = measured->largest_error;
  return out;
}

// With --solver: what finishes the solve first, and as many products as it takes for the plan. Nothing without.
std::vector<solve::Choice> choices_of_solver(const Matrix& matrix, const Profile& profile,
                                             const OptimizeArguments& options, StrategyOptions& wanted,
                                             const Globals& globals) {
  if (options.solver.empty()) return {};
  std::vector<solve::Choice> choices =
      solver_choices(matrix, profile, options.solver, options.strategy.iterations,
                     is_this_machine(profile, options.device, options.profile), globals);
  const solve::Method method = solve::parse_method(options.solver);
  const double products = amounts_of(steps_of(method, solve::Preconditioning::none)).products;
  wanted.iterations =
      std::max<std::int64_t>(1, std::llround(products * static_cast<double>(choices.front().iterations)));
  return choices;
}

void optimize(const OptimizeArguments& options, const Globals& globals) {
  const Matrix matrix = read_input(matrix_file(options.matrix, globals), globals);
  if (options.verify && !options.task.plain())
    throw Error(ErrorCode::usage, "--verify measures y = A·x of one vector", {},
                "`sparsecast measure` takes --vectors and --transposed");
  if (options.devices.given()) return optimize_over_devices(matrix, options.devices, globals);
  const Profile profile = load_profile(options.device, options.profile);
  const std::optional<forecast::Drift> drift =
      options.profile.empty() ? check_profile(profile, !options.no_probe, globals) : std::nullopt;
  const FitOptions fit = fit_options(profile, globals);
  const Planner planner(profile, fit.precision, fit.threads, fit.notice, options.model);
  StrategyOptions wanted = options.strategy;
  wanted.vectors = options.task.vectors;
  wanted.transposed = options.task.transposed;
  const std::vector<solve::Choice> solver = choices_of_solver(matrix, profile, options, wanted, globals);
  InOrder order = plan_in_order(planner, matrix, wanted, options.reorder);
  const Strategy& strategy = order.strategy;
  const std::optional<planning::TransposeAdvice> advice =
      wanted.transposed ? std::optional(planning::advise_transpose(planner, order.matrix, strategy, wanted))
                        : std::nullopt;
  std::optional<planning::MeasuredGain> measured;
  if (options.verify || !options.save.empty()) {
    const Plan plan(order.matrix, strategy);
    if (!options.save.empty()) plan.save(options.save);
    if (options.verify) measured = planning::measure_gain(order.matrix, plan);
    if (options.verify) order.measure(matrix, plan);
  }
  const planning::MeasuredGain* truth = measured ? &*measured : nullptr;
  const auto document = [&] {
    nlohmann::ordered_json out =
        strategy_document(matrix, profile, strategy, truth, options.task, drift, options.model, globals);
    if (advice) out["stored_transpose"] = transpose_json(*advice);
    if (!solver.empty()) out["solver"] = solver_json(options.solver, solver);
    order.add_to(out);
    return out;
  };
  Page page(options.page, globals);
  if (page.wanted()) {
    page.look_at(order.matrix);
    page.add_machine(profile);
    page.write("Plan for " + matrix.name(), "optimize", document());
  }
  if (globals.json) {
    print_json("optimize", document());
  } else {
    const std::string from = other_precision_text(profile, fit);
    print(strategy_text(matrix, strategy, truth, options.task, globals) + order.text() +
          (advice ? "\n" + planning::transpose_text(*advice) : "") +
          (solver.empty() ? "" : solver_text(options.solver, solver)) + (from.empty() ? from : "\n" + from + "\n"));
  }
}

}  // namespace

void add_optimize(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("optimize", "Best row-block strategy; --verify measures it");
  auto options = std::make_shared<OptimizeArguments>();
  command->add_option("MATRIX", options->matrix, "a matrix file, or ss:GROUP/NAME")->required();
  command->add_option("--device", options->device, "host, opencl:N, cuda:N or a profile's name")->capture_default_str();
  command->add_option("--profile", options->profile, "a profile file instead of a device's own measurements");
  std::vector<std::string> models = model_names();
  models.insert(models.begin(), "best");
  command
      ->add_option("--model", options->model,
                   "forecast blocks by this model; a paper's is followed wherever it promises a gain")
      ->check(CLI::IsMember(models))
      ->capture_default_str();
  command
      ->add_option("--iterations", options->strategy.iterations,
                   "minimise the conversion and so many products together")
      ->check(CLI::PositiveNumber);
  command->add_option(
      "--solver", options->solver,
      "what finishes a whole solve by this method (cg, gmres:30, …) first; --iterations counts its own");
  command->add_option("--max-blocks", options->strategy.max_blocks, "at most so many blocks")
      ->check(CLI::PositiveNumber);
  command->add_option("--strip-rows", options->strategy.strip_rows, "rows of a strip (default: the device's)")
      ->check(CLI::PositiveNumber);
  command->add_flag("--always-cut", options->strategy.always_cut,
                    "take the best cut even where its gain is within the forecast's uncertainty");
  add_reorder_option(*command, options->reorder);
  command->add_flag("--verify", options->verify, "measure the plan and every single kernel, in turns");
  command->add_flag("--no-probe", options->no_probe,
                    "do not time some products of the host's calibration again, which tells whether it has drifted");
  command->add_option("--save", options->save, "write the plan to a file, for Plan::load");
  add_task_options(*command, options->task);
  add_page_option(*command, options->page);
  add_devices_option(*command, options->devices);
  command->callback([options, &globals] { optimize(*options, globals); });
}

}  // namespace sparsecast::app
