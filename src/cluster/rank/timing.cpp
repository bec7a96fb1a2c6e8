#include "cluster/rank/timing.hpp"

#include <algorithm>
#include <cmath>

#include "calibration/timing.hpp"

namespace sparsecast::cluster {
double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], at - std::floor(at));
}

CollectiveTime time_collectively(const Communicator& ranks, const TimingOptions& options,
                                 const std::function<void()>& prepare, const std::function<void()>& repetition) {
#ifdef SPARSECAST_SIMULATION
  constexpr bool simulated = true;
#else
  constexpr bool simulated = false;
#endif
  std::vector<double> batches;
  double spent = 0;
  for (int batch = 0; batch <= options.most_batches; ++batch) {
    prepare();
    MPI_Barrier(ranks.handle());
    const double start = MPI_Wtime();
    for (int k = 0; k < options.repetitions; ++k) repetition();
    const double slowest = ranks.max(MPI_Wtime() - start);
    spent += slowest;
    batches.push_back(slowest / options.repetitions);
    // All ranks know the same `slowest`, so they decide alike.
    if (simulated || (batch >= options.least_batches && spent >= options.budget_s)) break;
    if (spent > 4 * options.budget_s && batch >= 2) break;
  }
  if (batches.size() > 1) batches.erase(batches.begin());
  return {calibration::half_sample_mode(batches), quantile(batches, 0.05), quantile(batches, 0.95),
          static_cast<int>(batches.size())};
}
}  // namespace sparsecast::cluster
