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
  static constexpr std::string_view about = "A plan, and what else to report about it.";
  static constexpr auto table = std::tuple(
      field<&PlanReportRequest::plan>("").in_its_place(),
      field<&PlanReportRequest::order>(
          "order of rows and columns to use; none: whichever is forecast to pay; not given: keep the present order"),
      field<&PlanReportRequest::solver>("choose what finishes a whole solve by this method (cg, gmres:30, …) first; "
                                        "iterations then counts its iterations"),
      field<&PlanReportRequest::verify>("measure the plan and every single kernel, taking turns"),
      field<&PlanReportRequest::save>("write the plan to a file, for Plan::load"),
      field<&PlanReportRequest::check_drift>(
          "time a few products of the host's calibration again, to see whether the machine has drifted since"));
};

template <>
struct Fields<FastestSingle> {
  static constexpr std::string_view about = "The single kernel that was fastest when measured.";
  static constexpr auto table =
      std::tuple(field<&FastestSingle::kernel>("name of the kernel, as in the kernel table"),
                 field<&FastestSingle::seconds>("time of one product", at_least(0)).as("measured_s"));
};

template <>
struct Fields<MeasuredPlan> {
  static constexpr std::string_view about = "A plan and the single kernels, timed taking turns.";
  static constexpr auto table = std::tuple(
      field<&MeasuredPlan::seconds>("time of one product by the plan", at_least(0)).as("measured_s"),
      field<&MeasuredPlan::conversion_s>("time to convert all blocks from CSR", at_least(0))
          .as("measured_conversion_s"),
      field<&MeasuredPlan::gain>("share of the best single kernel's time that the plan saves").as("measured_gain"),
      field<&MeasuredPlan::gain_low>("5th percentile over the rounds").as("measured_gain_low"),
      field<&MeasuredPlan::gain_high>("95th percentile over the rounds").as("measured_gain_high"),
      field<&MeasuredPlan::in_noise>("true: the interval of the measured gain contains 0").as("measured_gain_in_noise"),
      field<&MeasuredPlan::fastest>("").as("fastest_single"), field<&MeasuredPlan::rounds>("", at_least(1)),
      field<&MeasuredPlan::largest_error>("largest error of y, relative to its largest entry", at_least(0)));
};

template <>
struct Fields<StoredTransposeTimes> {
  static constexpr std::string_view about = "The cost of holding the transpose.";
  static constexpr auto table = std::tuple(
      field<&StoredTransposeTimes::kernel>("kernel for the stored transpose"),
      field<&StoredTransposeTimes::seconds>("predicted time of one product with the stored transpose", at_least(0)),
      field<&StoredTransposeTimes::conversion_s>("predicted time to convert the transpose to its kernel's format",
                                                 at_least(0)),
      field<&StoredTransposeTimes::transpose_s>("measured time to make the transpose", at_least(0)),
      field<&StoredTransposeTimes::pays_from>(
          "number of products from which it pays, compared with the matrix's own arrays; null: never", at_least(1)));
};

template <>
struct Fields<StoredTranspose> {
  static constexpr std::string_view about = "Whether to hold the transpose as a matrix of its own.";
  static constexpr auto table =
      std::tuple(field<&StoredTranspose::symmetric>("true: the matrix is symmetric, so there is nothing to hold"),
                 field<&StoredTranspose::times>("").where_known().in_its_place());
};

template <>
struct Fields<FirstSolver> {
  static constexpr std::string_view about = "What finishes a whole solve first.";
  static constexpr auto table =
      std::tuple(field<&FirstSolver::method>("method, as solve names it"), field<&FirstSolver::preconditioner>(""),
                 field<&FirstSolver::format>("kernel that runs the products"),
                 field<&FirstSolver::threads>("host threads; 0 on other devices", at_least(0)),
                 field<&FirstSolver::iterations>("", at_least(1)),
                 field<&FirstSolver::iteration_s>("time of one iteration", above(0)),
                 field<&FirstSolver::setup_s>("time spent before the first iteration", at_least(0)),
                 field<&FirstSolver::total_s>("time of the set-up and all iterations", above(0)));
};

template <>
struct Fields<OrderAnswer> {
  static constexpr std::string_view about = "One order of rows and columns that was considered.";
  static constexpr auto table = std::tuple(
      field<&OrderAnswer::order>(""), field<&OrderAnswer::tried>("true: the order was made and its product forecast"),
      field<&OrderAnswer::forecast_s>("forecast time to make the order and permute the matrix", at_least(0))
          .as("forecast_reordering_s"),
      field<&OrderAnswer::reason>("why it was not tried or not taken; empty for the chosen order"),
      field<&OrderAnswer::seconds>("time of one product in that order", at_least(0)).as("predicted_s").where_known(),
      field<&OrderAnswer::gain>("share of the product's time that it saves").where_known(),
      field<&OrderAnswer::gain_low>("lower end of its 90 % interval").where_known(),
      field<&OrderAnswer::gain_high>("upper end of its 90 % interval").where_known(),
      field<&OrderAnswer::reordering_s>("measured time to make the order and permute the matrix", at_least(0))
          .where_known());
};

template <>
struct Fields<MeasuredReordering> {
  static constexpr std::string_view about = "The plans in the new and the old order, timed taking turns.";
  static constexpr auto table = std::tuple(
      field<&MeasuredReordering::gain>("share of the time saved, both plans timed taking turns; 0 for none")
          .as("measured_reordering_gain"),
      field<&MeasuredReordering::gain_low>("5th percentile over the rounds").as("measured_reordering_gain_low"),
      field<&MeasuredReordering::gain_high>("95th percentile over the rounds").as("measured_reordering_gain_high"),
      field<&MeasuredReordering::reordering_s>("time to make the order and permute the matrix", at_least(0))
          .as("measured_reordering_s"),
      field<&MeasuredReordering::largest_error>("largest error of y after restoring the old order", at_least(0))
          .as("reordering_largest_error"));
};

template <>
struct Fields<FoundOrder> {
  static constexpr std::string_view about = "The order of rows and columns that the plan uses.";
  static constexpr auto table = std::tuple(
      field<&FoundOrder::order>("order of rows and columns that the plan uses").as("reordering"),
      field<&FoundOrder::gain>("forecast share of the product's time saved over the best plan in the old order")
          .as("reordering_gain"),
      field<&FoundOrder::gain_low>("lower end of its 90 % interval").as("reordering_gain_low"),
      field<&FoundOrder::gain_high>("upper end of its 90 % interval").as("reordering_gain_high"),
      field<&FoundOrder::reordering_s>("measured time to make the order and permute the matrix; 0 for none",
                                       at_least(0)),
      field<&FoundOrder::bound>("forecast upper bound of the gain of any order in the same formats", at_least(0))
          .as("reordering_bound"),
      field<&FoundOrder::reason>("why this order was chosen").as("reordering_reason"),
      field<&FoundOrder::search_s>("total time spent looking for an order", at_least(0)).as("reordering_search_s"),
      field<&FoundOrder::predicted_as_it_is_s>("forecast time of the best plan in the old order", at_least(0)),
      field<&FoundOrder::orders>("every order that was considered, and the result"),
      field<&FoundOrder::measured>("").where_known().in_its_place());
};

template <>
struct Fields<PlanReport> {
  static constexpr std::string_view about =
      "Result of plan_report(): the strategy and, if it was to be verified, the measured times";
  static constexpr auto table = std::tuple(
      field<&PlanReport::matrix>(""), field<&PlanReport::device>(""),
      field<&PlanReport::precision>("precision of the values and vectors"),
      field<&PlanReport::model>("model that forecast the blocks: best (sparsecast) or one from a paper"),
      field<&PlanReport::strategy>("").in_its_place(),
      field<&PlanReport::tier>(
          "basis of the forecasts; with a data sheet the device is not present, and nothing runs on it"),
      field<&PlanReport::records_precision>("precision of the records that the forecast is based on"),
      field<&PlanReport::drift>("a few products of the host's calibration, timed again; null if none were timed"),
      field<&PlanReport::measured>("").where_known().in_its_place(),
      field<&PlanReport::stored_transpose>("for a transposed product: whether to hold the transpose").where_known(),
      field<&PlanReport::solver>("if a solver was named: what finishes the solve first").where_known(),
      field<&PlanReport::order>("").where_known().in_its_place());
};

}  // namespace sparsecast
