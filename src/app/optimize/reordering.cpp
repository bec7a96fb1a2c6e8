#include "app/optimize/reordering.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "app/terminal/terminal.hpp"
#include "base/text.hpp"
#include "plan/run/gain_text.hpp"

namespace sparsecast::app {
namespace {

std::string trials_text(const std::vector<OrderTrial>& trials) {
  base::TextTable table({"order", "predicted", "gain", "costs"});
  for (const OrderTrial& trial : trials) {
    const double costs = trial.tried ? trial.reordering_s : trial.forecast_reordering_s;
    table.add_with_note(
        {std::string(to_string(trial.ordering)), trial.tried ? base::format_seconds(trial.seconds) : "–",
         trial.tried ? base::format_percent(trial.gain) : "–",
         (trial.tried ? "" : "about ") + base::format_seconds(costs)},
        trial.reason.empty() ? "taken" : trial.reason);
  }
  return table.text(layout());
}

nlohmann::ordered_json trials_json(const std::vector<OrderTrial>& trials) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const OrderTrial& trial : trials) {
    nlohmann::ordered_json entry{{"order", to_string(trial.ordering)},
                                 {"tried", trial.tried},
                                 {"forecast_reordering_s", trial.forecast_reordering_s},
                                 {"reason", trial.reason}};
    if (trial.tried)
      entry.update({{"predicted_s", trial.seconds},
                    {"gain", trial.gain},
                    {"gain_low", trial.gain_low},
                    {"gain_high", trial.gain_high},
                    {"reordering_s", trial.reordering_s}});
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

Reorder ReorderArgument::of_rows() const {
  return text == "never" ? Reorder::never : text == "always" ? Reorder::always : Reorder::where_it_pays;
}
bool ReorderArgument::of_matrix() const { return text != "auto" && text != "never" && text != "always"; }
Ordering ReorderArgument::wanted() const { return of_matrix() && !text.empty() ? ordering_from(text) : Ordering::none; }

void add_reorder_option(CLI::App& command, ReorderArgument& argument) {
  command
      .add_option(
          "--reorder", argument.text,
          "without a value: rows and columns in the order that is forecast to pay, of rcm, metis and degree, or "
          "in the one that is named (x and y are put in order once outside of a solve); auto, never, always: "
          "rows of csr blocks alone, in the order of their lengths (default: auto)")
      ->expected(0, 1)
      ->check(CLI::IsMember({"auto", "never", "always", "rcm", "metis", "degree"}));
}

InOrder plan_in_order(const Planner& planner, const Matrix& matrix, StrategyOptions options,
                      const ReorderArgument& argument) {
  options.reorder = argument.of_rows();
  if (!argument.of_matrix()) return {matrix, planner.strategy(matrix, options), {}, {}};
  Reordering found = find_reordering(planner, matrix, options, argument.wanted());
  return {found.matrix, found.strategy, std::move(found), {}};
}

void InOrder::measure(const Matrix& as_it_is, const Plan& plan) {
  if (!found) return;
  truth.emplace();
  if (found->order.kind == Ordering::none) return;
  truth = planning::measure_order(as_it_is, *found, Plan(as_it_is, found->as_it_is), plan);
}

std::string InOrder::text() const {
  if (!found) return {};
  std::string text = fmt::format("\norder of rows and columns: {}; {}\n", to_string(found->order.kind), found->reason);
  if (!found->trials.empty()) text += trials_text(found->trials);
  if (found->order.kind != Ordering::none)
    text +=
        fmt::format("{} over {} in the old order; put in order in {}\n",
                    planning::gain_text(found->gain, found->gain_low, found->gain_high, "the forecast's uncertainty"),
                    base::format_seconds(found->as_it_is.predicted_s), base::format_seconds(found->reordering_s));
  if (truth && truth->rounds > 0)
    text += fmt::format("measured: {} in the old order, {} in the new; {} over {} rounds; put in order in {}\n",
                        base::format_seconds(truth->old_s), base::format_seconds(truth->new_s),
                        planning::gain_text(truth->gain, truth->low, truth->high, "the noise"), truth->rounds,
                        base::format_seconds(truth->reordering_s));
  return text;
}

void InOrder::add_to(nlohmann::ordered_json& document) const {
  if (!found) return;
  document.update({{"reordering", to_string(found->order.kind)},
                   {"reordering_gain", found->gain},
                   {"reordering_gain_low", found->gain_low},
                   {"reordering_gain_high", found->gain_high},
                   {"reordering_s", found->reordering_s},
                   {"reordering_bound", found->bound},
                   {"reordering_reason", found->reason},
                   {"reordering_search_s", found->search_s},
                   {"predicted_as_it_is_s", found->as_it_is.predicted_s},
                   {"orders", trials_json(found->trials)}});
  if (!truth) return;
  document.update({{"measured_reordering_gain", truth->gain},
                   {"measured_reordering_gain_low", truth->low},
                   {"measured_reordering_gain_high", truth->high},
                   {"measured_reordering_s", truth->reordering_s},
                   {"reordering_largest_error", truth->largest_error}});
}

}  // namespace sparsecast::app
