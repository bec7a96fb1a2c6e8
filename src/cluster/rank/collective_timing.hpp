#pragma once
// Timing of collective work: batches between barriers, the slowest rank of each batch, the half-sample mode of the
// batches (calibration/timing.hpp says why), because on a busy machine most batches are disturbed and all in one
// direction.

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <sparsecast/cluster_forecast.hpp>
#include <vector>

#include "cluster/launch/job.hpp"
#include "cluster/rank/communicator.hpp"
#include "cluster/rank/handover_probe.hpp"

namespace sparsecast::cluster {
#ifdef SPARSECAST_SIMULATION
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

struct CollectiveTime {
  double seconds = 0;            ///< per repetition: half-sample mode of the batches
  double low_s = 0, high_s = 0;  ///< 5th and 95th percentile of the batches
  int batches = 0;
  std::vector<StateTime> states;  ///< with a probe: of the batches before and after which it said the same
};

struct TimingOptions {
  int repetitions = 10;   ///< per batch
  double budget_s = 1;    ///< stop after this long …
  int least_batches = 5;  ///< … but not before so many
  int most_batches = 200;
};

/// Collective. `prepare` runs before every batch and is not timed; the first batch is a warm-up and not counted unless
/// it is the only one. A probe says in which state of its cores each batch ran. In a simulation there is one batch,
/// since every one takes the same simulated time.
CollectiveTime time_collectively(const Communicator& ranks, const TimingOptions& options,
                                 const std::function<void()>& prepare, const std::function<void()>& repetition,
                                 HandoverProbe* probe = nullptr);
/// states as an answer has them.
nlohmann::ordered_json states_json(const CollectiveTime& time);

/// What rank 0 answers of a case.
nlohmann::ordered_json answer_of(const Case& what, const CollectiveTime& time, double core_s);
}  // namespace sparsecast::cluster
