#pragma once
// Strategies for a matrix in memory: planners are made once per profile and kept, since making one reads a profile and
// its fits, while asking one takes a fraction of a millisecond.

#include <sparsecast/plan.hpp>
#include <string>
#include <vector>

namespace sparsecast::python {

/// What a plan is made for.
struct Wishes {
  std::string device = "host";  ///< or the name of a profile
  std::string profile;          ///< a file instead
  Precision precision = Precision::double_;
  int threads = 0;  ///< of the host, at most; 0: as many as the process may use
  StrategyOptions strategy;
};

/// Threads that a call on this thread may use at most: of the host's cores, of what OpenMP allows (OMP_NUM_THREADS,
/// threadpoolctl), of what is asked for (0: no matter).
[[nodiscard]] int most_threads(int asked);

/// Numbers of threads that a plan wants to know and the profile has no records of; {0} where a device that is no host
/// was never calibrated. Empty where a plan can be made. Error unavailable where nothing of that name is here.
[[nodiscard]] std::vector<int> missing_calibrations(const Wishes& wishes);

/// The strategy that is forecast to be fastest, over the numbers of threads that are calibrated and allowed. Smaller
/// ones than the greatest are asked only where a product takes less than a millisecond: all that they can save is what
/// starting threads takes. Errors as Planner's. Thread safety: safe from several threads at once.
[[nodiscard]] Strategy best_strategy(const Matrix& matrix, const Wishes& wishes);

/// For a child of fork(): OpenMP's threads did not come along, so calls keep to one.
void use_one_thread();

}  // namespace sparsecast::python
