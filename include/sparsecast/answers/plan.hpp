#pragma once
// plan: the strategy that multiplies a matrix fastest on a device, with the planners of a device kept in this process:
// making one reads a profile and its fits, asking one takes a fraction of a millisecond.

#include <sparsecast/answers/request.hpp>
#include <sparsecast/plan.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

struct PlanRequest {
  MatrixInput matrix = {};
  std::string device = "host";
  std::filesystem::path profile = {};
  Precision precision = Precision::double_;
  int threads = 0;
  StrategyOptions strategy = {};
  std::string trials = "none";  ///< as parse_trials() reads it
  bool no_store = false;        ///< neither use nor keep what was measured on this matrix before
  Listener listener = {};
};
template <>
struct Fields<PlanRequest> {
  static constexpr std::string_view about = "What is planned, and for what.";
  static constexpr auto table =
      std::tuple(field<&PlanRequest::matrix>("matrix files or ss:GROUP/NAME"),
                 field<&PlanRequest::device>("host, opencl:N, cuda:N"),
                 field<&PlanRequest::profile>("a profile file instead of a device's own measurements"),
                 field<&PlanRequest::precision>("of the vectors"),
                 field<&PlanRequest::threads>("of the host; 0: all", at_least(0)),
                 field<&PlanRequest::strategy>("").in_its_place(),
                 field<&PlanRequest::trials>("candidates measured before one is taken: none, auto or a number"),
                 field<&PlanRequest::no_store>("neither use nor keep what was measured on this matrix before"));
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
