#pragma once
// optimize: the best row-block strategy for a matrix, the order of its rows and columns, rows dealt to several devices,
// and on request the truth about them.

#include <optional>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/plan.hpp>
#include <sparsecast/reorder.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Which matrix is planned, and for what.
struct OptimizeRequest {
  MatrixInput matrix = {};
  std::string device = "host";         ///< "host", "opencl:N", "cuda:N" or a profile's name
  std::filesystem::path profile = {};  ///< a profile's file instead of the device's own measurements
  /// That forecasts blocks: a name of model_names(), or "best"; a paper's is followed wherever it promises a gain.
  std::string model = "best";
  /// What finishes a whole solve by this method ("cg", "gmres:30", …) first; strategy.iterations counts its own; empty:
  /// products.
  std::string solver = {};
  StrategyOptions strategy = {};
  std::string trials = "none";  ///< candidates that are measured before the choice, as parse_trials() reads it
  /// Of rows and columns; none: the one that is forecast to pay; nothing: no other than the matrix's.
  std::optional<Ordering> order = {};
  bool verify = false;              ///< measure the plan and every single kernel, in turns
  std::filesystem::path save = {};  ///< where the plan is written, for Plan::load(); empty: nowhere
  Precision precision = Precision::double_;
  int threads = 0;  ///< of the host; 0: default_threads()
  /// Time some products of the host's calibration again, which tells whether it has drifted.
  bool check_drift = false;
  bool no_store = false;  ///< neither use nor keep what was measured on this matrix before
  Listener listener = {};
};

/// The single kernel that was measured to be the fastest.
struct FastestSingle {
  std::string kernel = {};  ///< as in kernel_table()
  double seconds = 0;       ///< one product
};

/// A plan and the single kernels, timed in turns. Their own times are SingleKernel::measured_s.
struct MeasuredPlan {
  double seconds = 0;                  ///< one product by the plan
  double conversion_s = 0;             ///< of all blocks, from CSR
  double gain = 0;                     ///< share of the best single kernel's time saved
  double gain_low = 0, gain_high = 0;  ///< 5th and 95th percentile over rounds
  bool in_noise = false;               ///< the interval of the measured gain holds 0
  FastestSingle fastest = {};
  int rounds = 0;
  double largest_error = 0;  ///< of y, relative to its largest entry
};

/// What holding the transpose takes.
struct StoredTransposeTimes {
  std::string kernel = {};                     ///< of the stored transpose
  double seconds = 0;                          ///< one of its products, predicted
  double conversion_s = 0;                     ///< its kernel's, predicted
  double transpose_s = 0;                      ///< making the transpose, measured
  std::optional<std::int64_t> pays_from = {};  ///< so many products, against the matrix's own arrays; nothing: never
};

/// Whether to hold the transpose as a matrix of its own.
struct StoredTranspose {
  bool symmetric = false;                          ///< there is nothing to hold
  std::optional<StoredTransposeTimes> times = {};  ///< nothing where the matrix is its own transpose
};

/// What finishes a whole solve first.
struct FirstSolver {
  std::string method = {};  ///< as solve() names it
  std::string preconditioner = {};
  std::string format = {};  ///< the kernel of the product
  int threads = 0;          ///< of the host; 0 for other devices
  std::int64_t iterations = 1;
  double iteration_s = 0;  ///< one iteration
  double setup_s = 0;      ///< before the first iteration
  double total_s = 0;      ///< set-up and all iterations
};

/// One order of rows and columns that was looked at. What was not tried has no times.
struct OrderAnswer {
  Ordering order = Ordering::none;
  bool tried = false;                  ///< made and forecast
  double forecast_s = 0;               ///< forecast of making the order and permuting
  std::string reason = {};             ///< why it was not tried or not taken; empty for the one that is
  std::optional<double> seconds = {};  ///< one product in that order
  std::optional<double> gain = {};     ///< share of the product's time saved
  std::optional<double> gain_low = {}, gain_high = {};  ///< 90 % interval of the gain
  std::optional<double> reordering_s = {};              ///< making the order and permuting, as it took
};

/// The plans in the new and the old order, timed in turns; all 0 where the order is the old one.
struct MeasuredReordering {
  double gain = 0;                     ///< share of a product's time saved
  double gain_low = 0, gain_high = 0;  ///< 5th and 95th percentile over rounds
  double reordering_s = 0;             ///< making the order and permuting
  double largest_error = 0;            ///< of y, out of the new order
  double old_s = 0, new_s = 0;         ///< medians, in no document
  int rounds = 0;                      ///< in no document
};

/// The order of rows and columns that the plan is in.
struct FoundOrder {
  Ordering order = Ordering::none;
  double gain = 0;                     ///< forecast share of a product's time saved over the best plan in the old order
  double gain_low = 0, gain_high = 0;  ///< 90 % interval of the gain
  double reordering_s = 0;             ///< making the order and permuting the matrix, as it took; 0 for none
  double bound = 0;                    ///< forecast of the gain that no order can beat in the same formats
  std::string reason = {};             ///< why this order
  double search_s = 0;                 ///< everything that looking for an order took
  double predicted_as_it_is_s = 0;     ///< one product by the best plan in the old order
  std::vector<OrderAnswer> orders = {};  ///< every order, and what was found of it
  std::optional<MeasuredReordering> measured = {};
};

/// What optimize() answers: the strategy and, where it was to be verified, the truth about it.
struct Optimization {
  MatrixSize matrix = {};
  DeviceName device = {};
  Precision precision = Precision::double_;  ///< of the product
  std::string model = "best";                ///< that forecast the blocks: "best" (sparsecast) or a paper's
  Strategy strategy = {};
  Precision records_precision = Precision::double_;  ///< of the records that it rests on
  /// Some products of the host's calibration timed again; nothing where none were.
  std::optional<DriftAnswer> drift = {};
  std::optional<MeasuredPlan> measured = {};
  std::optional<StoredTranspose> stored_transpose = {};  ///< of a transposed product: whether to hold the transpose
  std::optional<FirstSolver> solver = {};  ///< where a method was asked for: what finishes the solve first
  std::optional<FoundOrder> order = {};

  // In no document:
  Matrix planned = {};                  ///< what the strategy is for: the matrix, in its new order where it has one
  std::string of_other_precision = {};  ///< one line where the records are of another precision
};

/// Plans, and measures what it planned where that is asked for. Error failed with the command to run where the device
/// is here and was never calibrated, and where the plan cannot be written; usage for an unknown name, and where
/// something else than y = A·x of one vector is to be verified; those of Planner, Plan and find_reordering(). Thread
/// safety: safe from several threads at once; a device's models are fitted once and shared.
[[nodiscard]] Optimization optimize(const OptimizeRequest& request);

/// Which devices share a matrix.
struct DealRequest {
  MatrixInput matrix = {};
  std::vector<std::string> devices = {};  ///< as predict() takes them, the same one twice where it is not here
  Precision precision = Precision::double_;
  int threads = 0;  ///< of the host; 0: default_threads()
  Listener listener = {};
};

/// Rows of one device.
struct DealtPart {
  std::string device = {};             ///< as requests name it
  DeviceKind kind = DeviceKind::host;  ///< what runs its products
  std::string rests_on = {};   ///< forecast; timed: never calibrated, so its products of a part of the matrix were
  std::int64_t first_row = 0;  ///< from 0
  std::int64_t last_row = -1;  ///< below first_row where the device gets none
  std::int64_t nonzeros = 0;
  std::string kernel = {};                ///< as in kernel_table()
  double product_s = 0;                   ///< predicted
  double transfer_s = 0;                  ///< x in and y out
  double alone_s = 0;                     ///< the whole matrix there, x and y included
  std::optional<double> measured_s = {};  ///< while all are at work
};

/// The device that is fastest by itself.
struct BestAlone {
  std::string device = {};  ///< as requests name it
  double seconds = 0;       ///< one product, predicted
};

/// All devices at work, and the best one alone, in turns.
struct MeasuredDeal {
  double seconds = 0;                  ///< one product
  double alone_s = 0;                  ///< by the device that is best alone
  double gain = 0;                     ///< share of that time saved
  double gain_low = 0, gain_high = 0;  ///< 5th and 95th percentile over rounds
  int rounds = 0;
  double largest_error = 0;  ///< of y, relative to its largest entry
};

/// Rows dealt to several devices.
struct DealtRows {
  MatrixSize matrix = {};
  Precision precision = Precision::double_;  ///< of the product
  std::vector<DealtPart> parts = {};         ///< in the order of the request
  double predicted_s = 0;                    ///< one product, x and y on the host
  BestAlone best_alone = {};
  double gain = 0;  ///< share of that time that the split saves
  bool pays = false;
  std::string reason = {};
  std::optional<MeasuredDeal> measured = {};
};

/// Deals rows so that all devices end together, and runs them where all are here. Errors as of predict(), and usage for
/// a device that is here and named twice. Thread safety: safe from several threads at once, which disturb each other's
/// times.
[[nodiscard]] DealtRows deal_rows(const DealRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
