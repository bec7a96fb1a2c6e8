#pragma once
// The fields of <sparsecast/answers/plan_report.hpp>.

#include <sparsecast/answers/plan_report.hpp>

#include "fields/answers/predict.hpp"
#include "fields/answers/request.hpp"
#include "fields/device.hpp"
#include "fields/fields.hpp"
#include "fields/ordering.hpp"
#include "fields/plan.hpp"
#include "fields/plan_request.hpp"
#include "fields/precision.hpp"
#include "fields/tier.hpp"

namespace sparsecast {

template <>
struct Fields<PlanReportRequest> {
  static constexpr std::string_view about = "A plan, and what else is reported about it.";
  static constexpr auto table = std::tuple(
      field<&PlanReportRequest::plan>("").in_its_place(),
      field<&PlanReportRequest::order>("of rows and columns; none: the one that is forecast to pay; nothing: no other"),
      field<&PlanReportRequest::solver>(
          "what finishes a whole solve by this method (cg, gmres:30, …) first; iterations counts its own"),
      field<&PlanReportRequest::verify>("measure the plan and every single kernel, in turns"),
      field<&PlanReportRequest::save>("write the plan to a file, for Plan::load"),
      field<&PlanReportRequest::check_drift>(
          "time some products of the host's calibration again, which tells whether it has drifted"));
};

template <>
struct Fields<FastestSingle> {
  static constexpr std::string_view about = "The single kernel that was measured to be the fastest.";
  static constexpr auto table = std::tuple(field<&FastestSingle::kernel>("as the kernel table names it"),
                                           field<&FastestSingle::seconds>("one product", at_least(0)).as("measured_s"));
};

template <>
struct Fields<MeasuredPlan> {
  static constexpr std::string_view about = "A plan and the single kernels, timed in turns.";
  static constexpr auto table = std::tuple(
      field<&MeasuredPlan::seconds>("one product by the plan", at_least(0)).as("measured_s"),
      field<&MeasuredPlan::conversion_s>("of all blocks, from CSR", at_least(0)).as("measured_conversion_s"),
      field<&MeasuredPlan::gain>("share of the best single kernel's time saved").as("measured_gain"),
      field<&MeasuredPlan::gain_low>("5th percentile over rounds").as("measured_gain_low"),
      field<&MeasuredPlan::gain_high>("95th percentile over rounds").as("measured_gain_high"),
      field<&MeasuredPlan::in_noise>("the interval of the measured gain holds 0").as("measured_gain_in_noise"),
      field<&MeasuredPlan::fastest>("").as("fastest_single"), field<&MeasuredPlan::rounds>("", at_least(1)),
      field<&MeasuredPlan::largest_error>("of y, relative to its largest entry", at_least(0)));
};

template <>
struct Fields<StoredTransposeTimes> {
  static constexpr std::string_view about = "What holding the transpose takes.";
  static constexpr auto table = std::tuple(
      field<&StoredTransposeTimes::kernel>("of the stored transpose"),
      field<&StoredTransposeTimes::seconds>("one of its products, predicted", at_least(0)),
      field<&StoredTransposeTimes::conversion_s>("its kernel's, predicted", at_least(0)),
      field<&StoredTransposeTimes::transpose_s>("making the transpose, measured", at_least(0)),
      field<&StoredTransposeTimes::pays_from>("products, against the matrix's own arrays; null: never", at_least(1)));
};

template <>
struct Fields<StoredTranspose> {
  static constexpr std::string_view about = "Whether to hold the transpose as a matrix of its own.";
  static constexpr auto table = std::tuple(field<&StoredTranspose::symmetric>("there is nothing to hold"),
                                           field<&StoredTranspose::times>("").where_known().in_its_place());
};

template <>
struct Fields<FirstSolver> {
  static constexpr std::string_view about = "What finishes a whole solve first.";
  static constexpr auto table = std::tuple(
      field<&FirstSolver::method>("as solve names it"), field<&FirstSolver::preconditioner>(""),
      field<&FirstSolver::format>("the kernel of the product"),
      field<&FirstSolver::threads>("of the host; 0 for other devices", at_least(0)),
      field<&FirstSolver::iterations>("", at_least(1)), field<&FirstSolver::iteration_s>("one iteration", above(0)),
      field<&FirstSolver::setup_s>("before the first", at_least(0)),
      field<&FirstSolver::total_s>("set-up and all iterations", above(0)));
};

template <>
struct Fields<OrderAnswer> {
  static constexpr std::string_view about = "One order of rows and columns that was looked at.";
  static constexpr auto table =
      std::tuple(field<&OrderAnswer::order>(""), field<&OrderAnswer::tried>("made and forecast"),
                 field<&OrderAnswer::forecast_s>("making and permuting, before it was paid", at_least(0))
                     .as("forecast_reordering_s"),
                 field<&OrderAnswer::reason>("why it was not tried or not taken; empty for the one that is"),
                 field<&OrderAnswer::seconds>("one product in that order", at_least(0)).as("predicted_s").where_known(),
                 field<&OrderAnswer::gain>("share of the product's time saved").where_known(),
                 field<&OrderAnswer::gain_low>("least of its 90 % interval").where_known(),
                 field<&OrderAnswer::gain_high>("most of its 90 % interval").where_known(),
                 field<&OrderAnswer::reordering_s>("making and permuting, as it took", at_least(0)).where_known());
};

template <>
struct Fields<MeasuredReordering> {
  static constexpr std::string_view about = "The plans in the new and the old order, timed in turns.";
  static constexpr auto table = std::tuple(
      field<&MeasuredReordering::gain>("both plans timed in turns; 0 for none").as("measured_reordering_gain"),
      field<&MeasuredReordering::gain_low>("5th percentile over rounds").as("measured_reordering_gain_low"),
      field<&MeasuredReordering::gain_high>("95th percentile over rounds").as("measured_reordering_gain_high"),
      field<&MeasuredReordering::reordering_s>("order and permuting", at_least(0)).as("measured_reordering_s"),
      field<&MeasuredReordering::largest_error>("of y, out of the new order", at_least(0))
          .as("reordering_largest_error"));
};

template <>
struct Fields<FoundOrder> {
  static constexpr std::string_view about = "The order of rows and columns that the plan is in.";
  static constexpr auto table = std::tuple(
      field<&FoundOrder::order>("of rows and columns that the plan is in").as("reordering"),
      field<&FoundOrder::gain>("share of the product's time saved over the best plan in the old order, forecast")
          .as("reordering_gain"),
      field<&FoundOrder::gain_low>("least of its 90 % interval").as("reordering_gain_low"),
      field<&FoundOrder::gain_high>("most of its 90 % interval").as("reordering_gain_high"),
      field<&FoundOrder::reordering_s>("making the order and permuting the matrix, as it took; 0 for none",
                                       at_least(0)),
      field<&FoundOrder::bound>("forecast of the gain that no order can beat in the same formats", at_least(0))
          .as("reordering_bound"),
      field<&FoundOrder::reason>("why this order").as("reordering_reason"),
      field<&FoundOrder::search_s>("everything that looking for an order took", at_least(0)).as("reordering_search_s"),
      field<&FoundOrder::predicted_as_it_is_s>("the best plan in the old order", at_least(0)),
      field<&FoundOrder::orders>("every order and what was found of it"),
      field<&FoundOrder::measured>("").where_known().in_its_place());
};

template <>
struct Fields<PlanReport> {
  static constexpr std::string_view about =
      "What plan_report() answers: the strategy and, where it was to be verified, the truth about it";
  static constexpr auto table = std::tuple(
      field<&PlanReport::matrix>(""), field<&PlanReport::device>(""), field<&PlanReport::precision>("of the product"),
      field<&PlanReport::model>("that forecast the blocks: best (sparsecast) or a paper's"),
      field<&PlanReport::strategy>("").in_its_place(),
      field<&PlanReport::tier>(
          "what the forecasts rest on; by a data sheet: the device is not here, nothing of it runs"),
      field<&PlanReport::records_precision>("of the records that it rests on"),
      field<&PlanReport::drift>("some products of the host's calibration timed again; null where none were timed"),
      field<&PlanReport::measured>("").where_known().in_its_place(),
      field<&PlanReport::stored_transpose>("of a transposed product: whether to hold the transpose").where_known(),
      field<&PlanReport::solver>("where a solver was named: what finishes the solve first").where_known(),
      field<&PlanReport::order>("").where_known().in_its_place());
};

}  // namespace sparsecast
