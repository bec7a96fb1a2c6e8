#pragma once
// The strategy that plan() would carry out, and on request the truth about it, what a stored transpose or another order
// brings, what finishes a solve first. Thread safety: safe from several threads at once.

#include <optional>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/plan.hpp>
#include <sparsecast/plan_request.hpp>
#include <sparsecast/reorder.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A plan, and what else is reported about it.
struct PlanReportRequest {
  PlanRequest plan = {};
  /// Order of rows and columns to use; none: whichever is forecast to pay; nothing: keep the present order.
  std::optional<Ordering> order = {};
  /// Choose what finishes a whole solve by this method (cg, gmres:30, …) first; iterations then counts its
  /// iterations.
  std::string solver = {};
  bool verify = false;              ///< measure the plan and every single kernel, taking turns
  std::filesystem::path save = {};  ///< write the plan to a file, for Plan::load()
  bool check_drift = false;         ///< time some products of the host's calibration again
};

/// The single kernel that was measured to be the fastest.
struct FastestSingle {
  std::string kernel = {};  ///< as in kernel_table()
  double seconds = 0;       ///< time of one product
};

/// A plan and the single kernels, timed in turns. Their own times are SingleKernel::measured_s.
struct MeasuredPlan {
  double seconds = 0;                  ///< time of one product by the plan
  double conversion_s = 0;             ///< time to convert all blocks from CSR
  double gain = 0;                     ///< share of the best single kernel's time that the plan saves
  double gain_low = 0, gain_high = 0;  ///< 5th and 95th percentile over the rounds
  bool in_noise = false;               ///< true: the interval of the measured gain contains 0
  FastestSingle fastest = {};
  int rounds = 0;
  double largest_error = 0;  ///< largest error of y, relative to its largest entry
};

/// What holding the transpose takes.
struct StoredTransposeTimes {
  std::string kernel = {};  ///< kernel for the stored transpose
  double seconds = 0;       ///< predicted time of one product with the stored transpose
  double conversion_s = 0;  ///< predicted time to convert the transpose to its kernel's format
  double transpose_s = 0;   ///< measured time to make the transpose
  /// Number of products from which it pays, compared with the matrix's own arrays; nothing: never.
  std::optional<std::int64_t> pays_from = {};
};

/// Whether to hold the transpose as a matrix of its own.
struct StoredTranspose {
  bool symmetric = false;                          ///< true: the matrix is symmetric, so there is nothing to hold
  std::optional<StoredTransposeTimes> times = {};  ///< nothing where the matrix is its own transpose
};

/// What finishes a whole solve first.
struct FirstSolver {
  std::string method = {};  ///< method, as solve names it
  std::string preconditioner = {};
  std::string format = {};  ///< kernel that runs the products
  int threads = 0;          ///< host threads; 0 on other devices
  std::int64_t iterations = 1;
  double iteration_s = 0;  ///< time of one iteration
  double setup_s = 0;      ///< before the first iteration
  double total_s = 0;      ///< time of the set-up and all iterations
};

/// One order of rows and columns that was looked at. What was not tried has no times.
struct OrderAnswer {
  Ordering order = Ordering::none;
  bool tried = false;                  ///< true: the order was made and its product forecast
  double forecast_s = 0;               ///< forecast of making the order and permuting
  std::string reason = {};             ///< why it was not tried or not taken; empty for the chosen order
  std::optional<double> seconds = {};  ///< time of one product in that order
  std::optional<double> gain = {};     ///< share of the product's time that it saves
  std::optional<double> gain_low = {}, gain_high = {};  ///< 90 % interval of the gain
  std::optional<double> reordering_s = {};              ///< measured time to make the order and permute the matrix
};

/// The plans in the new and the old order, timed in turns; all 0 where the order is the old one.
struct MeasuredReordering {
  double gain = 0;                     ///< share of a product's time saved
  double gain_low = 0, gain_high = 0;  ///< 5th and 95th percentile over the rounds
  double reordering_s = 0;             ///< making the order and permuting
  double largest_error = 0;            ///< largest error of y after restoring the old order
  double old_s = 0, new_s = 0;         ///< medians, in no document
  int rounds = 0;                      ///< in no document
};

/// The order of rows and columns that the plan is in.
struct FoundOrder {
  Ordering order = Ordering::none;
  double gain = 0;  ///< forecast share of the product's time saved over the best plan in the old order
  double gain_low = 0, gain_high = 0;    ///< 90 % interval of the gain
  double reordering_s = 0;               ///< measured time to make the order and permute the matrix; 0 for none
  double bound = 0;                      ///< forecast upper bound of the gain of any order in the same formats
  std::string reason = {};               ///< why this order was chosen
  double search_s = 0;                   ///< total time spent looking for an order
  double predicted_as_it_is_s = 0;       ///< one product by the best plan in the old order
  std::vector<OrderAnswer> orders = {};  ///< every order that was considered, and the result
  std::optional<MeasuredReordering> measured = {};
};

/// Result of plan_report(): the strategy and, where it was to be verified, the truth about it.
struct PlanReport {
  MatrixSize matrix = {};
  DeviceName device = {};
  Precision precision = Precision::double_;  ///< precision of the values and vectors
  std::string model = "best";                ///< model that forecast the blocks: best (sparsecast) or one from a paper
  Strategy strategy = {};
  Tier tier = Tier::measured;  ///< what the forecasts rest on (Profile::tier); by a data sheet: nothing of it runs here
  Precision records_precision = Precision::double_;  ///< precision of the records that the forecasts are based on
  /// Some products of the host's calibration timed again; nothing where none were.
  std::optional<DriftAnswer> drift = {};
  std::optional<MeasuredPlan> measured = {};
  std::optional<StoredTranspose> stored_transpose = {};  ///< for a transposed product: whether to hold the transpose
  std::optional<FirstSolver> solver = {};                ///< if a solver was named: what finishes the solve first
  std::optional<FoundOrder> order = {};

  // In no document:
  Matrix planned = {};                  ///< what the strategy is for: the matrix, in its new order where it has one
  std::string of_other_precision = {};  ///< one line where the records are of another precision
};

/// Plans, and measures what it planned where that is asked for. Error failed with the command to run where the device
/// is here and was never calibrated, and where the plan cannot be written; usage for an unknown name, and where
/// something else than y = A·x of one vector is to be verified; those of Planner, Plan and find_reordering(). Thread
/// safety: safe from several threads at once; a device's models are fitted once and shared.
[[nodiscard]] PlanReport plan_report(const PlanReportRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
