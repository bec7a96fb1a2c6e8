#pragma once
// plan: the strategy that multiplies a matrix fastest on a device, with the planners of a device kept in this process:
// making one reads a profile and its fits, asking one takes a fraction of a millisecond.

#include <sparsecast/answers/request.hpp>
#include <sparsecast/plan.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// What is planned, and for what.
struct PlanRequest {
  MatrixInput matrix = {};
  std::string device = "host";               ///< "host", "opencl:N" or "cuda:N"
  std::filesystem::path profile = {};        ///< a profile's file instead of the device's own measurements
  Precision precision = Precision::double_;  ///< of the vectors
  int threads = 0;                           ///< of the host; 0: all
  StrategyOptions strategy = {};
  std::string trials = "none";  ///< as parse_trials() reads it
  bool no_store = false;        ///< neither use nor keep what was measured on this matrix before
  Listener listener = {};
};

/// Threads that a call on this thread may use at most: of the host's cores, of what OpenMP allows (OMP_NUM_THREADS,
/// threadpoolctl), of what is asked for (0: no matter).
[[nodiscard]] int most_threads(int asked);

/// Numbers of threads that a plan wants to know and the profile has no records of; {0} where a device that is no host
/// was never calibrated. Empty where a plan can be made. The matrix is not looked at. Error unavailable where nothing
/// of that name is here.
[[nodiscard]] std::vector<int> missing_calibrations(const PlanRequest& request);

/// The strategy that is forecast to be fastest, over the numbers of threads that are calibrated and allowed (`threads`
/// at most). Smaller ones than the greatest are asked only where a product takes less than a millisecond: all that they
/// can save is what starting threads takes. Errors as Planner's. Thread safety: safe from several threads at once.
[[nodiscard]] Strategy best_strategy(const PlanRequest& request);

/// best_strategy(), carried out, with trials where they are asked for. Thread safety: safe from several threads at
/// once.
[[nodiscard]] Plan plan(const PlanRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
