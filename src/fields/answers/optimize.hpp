#pragma once
// The fields of <sparsecast/answers/optimize.hpp>.

#include <sparsecast/answers/optimize.hpp>

#include "fields/answers/predict.hpp"
#include "fields/answers/request.hpp"
#include "fields/device.hpp"
#include "fields/fields.hpp"
#include "fields/plan.hpp"
#include "fields/precision.hpp"
#include "fields/reorder.hpp"

namespace sparsecast {

template <>
struct Fields<OptimizeRequest> {
  static constexpr std::string_view about = "Which matrix is planned, and for what.";
  static constexpr auto table = std::tuple(
      field<&OptimizeRequest::matrix>(""),
      field<&OptimizeRequest::device>("host, opencl:N, cuda:N or a profile's name"),
      field<&OptimizeRequest::profile>("a profile file instead of a device's own measurements"),
      field<&OptimizeRequest::model>(
          "forecast blocks by this model; a paper's is followed wherever it promises a gain"),
      field<&OptimizeRequest::solver>(
          "what finishes a whole solve by this method (cg, gmres:30, …) first; iterations counts its own"),
      field<&OptimizeRequest::strategy>("").in_its_place(),
      field<&OptimizeRequest::trials>("measure candidates before the choice: so many, or auto: those that may still "
                                      "win more than trying them costs"),
      field<&OptimizeRequest::order>("of rows and columns; none: the one that is forecast to pay; nothing: no other"),
      field<&OptimizeRequest::verify>("measure the plan and every single kernel, in turns"),
      field<&OptimizeRequest::save>("write the plan to a file, for Plan::load"), field<&OptimizeRequest::precision>(""),
      field<&OptimizeRequest::threads>("of the host; 0: default_threads()", at_least(0)),
      field<&OptimizeRequest::no_store>("neither use nor keep what was measured on this matrix before"),
      field<&OptimizeRequest::check_drift>(
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
struct Fields<Optimization> {
  static constexpr std::string_view about =
      "sparsecast optimize --json: the strategy and, with --verify, the truth about it";
  static constexpr auto table = std::tuple(
      field<&Optimization::matrix>(""), field<&Optimization::device>(""),
      field<&Optimization::precision>("of the product"),
      field<&Optimization::model>("that forecast the blocks: best (sparsecast) or a paper's"),
      field<&Optimization::strategy>("").in_its_place(),
      field<&Optimization::records_precision>("of the records that it rests on"),
      field<&Optimization::drift>("some products of the host's calibration timed again; null where none were timed"),
      field<&Optimization::measured>("").where_known().in_its_place(),
      field<&Optimization::stored_transpose>("with --transposed: whether to hold the transpose").where_known(),
      field<&Optimization::solver>("with --solver: what finishes the solve first").where_known(),
      field<&Optimization::order>("").where_known().in_its_place());
};

template <>
struct Fields<DealRequest> {
  static constexpr std::string_view about = "Which devices share a matrix.";
  static constexpr auto table =
      std::tuple(field<&DealRequest::matrix>(""),
                 field<&DealRequest::devices>("as predict() takes them, the same one twice where it is not here"),
                 field<&DealRequest::precision>(""),
                 field<&DealRequest::threads>("of the host; 0: default_threads()", at_least(0)));
};

template <>
struct Fields<DealtPart> {
  static constexpr std::string_view about = "Rows of one device.";
  static constexpr auto table = std::tuple(
      field<&DealtPart::device>("as requests name it").as("name"), field<&DealtPart::kind>("what runs the products"),
      field<&DealtPart::rests_on>("forecast; timed: never calibrated, so its products of a part of the matrix were"),
      field<&DealtPart::first_row>("from 0", at_least(0)),
      field<&DealtPart::last_row>("below first_row where the device gets none", at_least(-1)),
      field<&DealtPart::nonzeros>("", at_least(0)), field<&DealtPart::kernel>("as the kernel table names it"),
      field<&DealtPart::product_s>("predicted", at_least(0)),
      field<&DealtPart::transfer_s>("x in and y out", at_least(0)),
      field<&DealtPart::alone_s>("the whole matrix there, x and y included", at_least(0)),
      field<&DealtPart::measured_s>("while all are at work", at_least(0)).where_known());
};

template <>
struct Fields<BestAlone> {
  static constexpr std::string_view about = "The device that is fastest by itself.";
  static constexpr auto table = std::tuple(field<&BestAlone::device>("as requests name it"),
                                           field<&BestAlone::seconds>("one product, predicted", at_least(0)));
};

template <>
struct Fields<MeasuredDeal> {
  static constexpr std::string_view about = "All devices at work, and the best one alone, in turns.";
  static constexpr auto table =
      std::tuple(field<&MeasuredDeal::seconds>("one product", at_least(0)).as("measured_s"),
                 field<&MeasuredDeal::alone_s>("by the device that is best alone", at_least(0)).as("measured_alone_s"),
                 field<&MeasuredDeal::gain>("share of that time saved").as("measured_gain"),
                 field<&MeasuredDeal::gain_low>("5th percentile over rounds").as("measured_gain_low"),
                 field<&MeasuredDeal::gain_high>("95th percentile over rounds").as("measured_gain_high"),
                 field<&MeasuredDeal::rounds>("", at_least(1)),
                 field<&MeasuredDeal::largest_error>("of y, relative to its largest entry", at_least(0)));
};

template <>
struct Fields<DealtRows> {
  static constexpr std::string_view about = "sparsecast optimize --devices --json: rows dealt to several devices";
  static constexpr auto table =
      std::tuple(field<&DealtRows::matrix>(""), field<&DealtRows::precision>("of the product"),
                 field<&DealtRows::parts>("in the order of the request").as("devices"),
                 field<&DealtRows::predicted_s>("one product, x and y on the host", at_least(0)),
                 field<&DealtRows::best_alone>(""), field<&DealtRows::gain>("share of that time that the split saves"),
                 field<&DealtRows::pays>(""), field<&DealtRows::reason>(""),
                 field<&DealtRows::measured>("").where_known().in_its_place());
};

}  // namespace sparsecast
