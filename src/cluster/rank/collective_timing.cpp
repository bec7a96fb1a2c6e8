#include "cluster/rank/collective_timing.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "base/median.hpp"
#include "calibration/timing.hpp"

namespace sparsecast::cluster {
CollectiveTime time_collectively(const Communicator& ranks, const TimingOptions& options,
                                 const std::function<void()>& prepare, const std::function<void()>& repetition) {
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
  return {calibration::half_sample_mode(batches), base::quantile(batches, 0.05), base::quantile(batches, 0.95),
          static_cast<int>(batches.size())};
}

nlohmann::ordered_json answer_of(const Case& what, const CollectiveTime& time, double core_s) {
  return {{"way", to_string(what.scheme)},
          {"format", to_string(what.format)},
          {"seconds", time.seconds},
          {"low_s", time.low_s},
          {"high_s", time.high_s},
          {"batches", time.batches},
          {"core_s", core_s}};
}
}  // namespace sparsecast::cluster
