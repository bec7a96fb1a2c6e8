#pragma once
// optimize: the best row-block strategy for a matrix, the order of its rows and columns, and on request the truth about
// them.

#include <optional>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/plan.hpp>
#include <sparsecast/reorder.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

struct OptimizeRequest {
  MatrixInput matrix = {};
  std::string device = "host";
  std::filesystem::path profile = {};
  std::string model = "best";
  std::string solver = {};
  StrategyOptions strategy = {};
  std::string trials = "none";
  std::optional<Ordering> order = {};
  bool verify = false;
  std::filesystem::path save = {};
  Precision precision = Precision::double_;
  int threads = 0;
  bool check_drift = false;
  bool no_store = false;
  Listener listener = {};
};
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

struct FastestSingle {
  std::string kernel = {};
  double seconds = 0;
};
template <>
struct Fields<FastestSingle> {
  static constexpr std::string_view about = "The single kernel that was measured to be the fastest.";
  static constexpr auto table = std::tuple(field<&FastestSingle::kernel>("as the kernel table names it"),
                                           field<&FastestSingle::seconds>("one product", at_least(0)).as("measured_s"));
};

/// A plan and the single kernels, timed in turns. Their own times are SingleKernel::measured_s.
struct MeasuredPlan {
  double seconds = 0, conversion_s = 0;
  double gain = 0, gain_low = 0, gain_high = 0;
  bool in_noise = false;
  FastestSingle fastest = {};
  int rounds = 0;
  double largest_error = 0;
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

struct StoredTransposeTimes {
  std::string kernel = {};
  double seconds = 0, conversion_s = 0, transpose_s = 0;
  std::optional<std::int64_t> pays_from = {};
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
struct StoredTranspose {
  bool symmetric = false;
  std::optional<StoredTransposeTimes> times = {};  ///< nothing where the matrix is its own transpose
};
template <>
struct Fields<StoredTranspose> {
  static constexpr std::string_view about = "Whether to hold the transpose as a matrix of its own.";
  static constexpr auto table = std::tuple(field<&StoredTranspose::symmetric>("there is nothing to hold"),
                                           field<&StoredTranspose::times>("").where_known().in_its_place());
};

/// What finishes a whole solve first.
struct FirstSolver {
  std::string method = {}, preconditioner = {}, format = {};
  int threads = 0;
  std::int64_t iterations = 1;
  double iteration_s = 0, setup_s = 0, total_s = 0;
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

/// One order of rows and columns that was looked at. What was not tried has no times.
struct OrderAnswer {
  Ordering order = Ordering::none;
  bool tried = false;
  double forecast_s = 0;
  std::string reason = {};
  std::optional<double> seconds = {}, gain = {}, gain_low = {}, gain_high = {}, reordering_s = {};
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

/// The plans in the new and the old order, timed in turns; all 0 where the order is the old one.
struct MeasuredReordering {
  double gain = 0, gain_low = 0, gain_high = 0, reordering_s = 0, largest_error = 0;
  double old_s = 0, new_s = 0;  ///< medians, in no document
  int rounds = 0;               ///< in no document
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

/// The order of rows and columns that the plan is in.
struct FoundOrder {
  Ordering order = Ordering::none;
  double gain = 0, gain_low = 0, gain_high = 0;
  double reordering_s = 0, bound = 0;
  std::string reason = {};
  double search_s = 0, predicted_as_it_is_s = 0;
  std::vector<OrderAnswer> orders = {};
  std::optional<MeasuredReordering> measured = {};
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

struct Optimization {
  MatrixSize matrix = {};
  DeviceName device = {};
  Precision precision = Precision::double_;
  std::string model = "best";
  Strategy strategy = {};
  Precision records_precision = Precision::double_;
  std::optional<DriftAnswer> drift = {};
  std::optional<MeasuredPlan> measured = {};
  std::optional<StoredTranspose> stored_transpose = {};
  std::optional<FirstSolver> solver = {};
  std::optional<FoundOrder> order = {};

  // In no document:
  Matrix planned = {};                  ///< what the strategy is for: the matrix, in its new order where it has one
  std::string of_other_precision = {};  ///< one line where the records are of another precision
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

/// Plans, and measures what it planned where that is asked for. Error failed with the command to run where the device
/// is here and was never calibrated, and where the plan cannot be written; usage for an unknown name, and where
/// something else than y = A·x of one vector is to be verified; those of Planner, Plan and find_reordering(). Thread
/// safety: safe from several threads at once; a device's models are fitted once and shared.
[[nodiscard]] Optimization optimize(const OptimizeRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
