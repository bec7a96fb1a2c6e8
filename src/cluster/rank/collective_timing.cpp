#include "cluster/rank/collective_timing.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/median.hpp"
#include "calibration/timing.hpp"

namespace sparsecast::cluster {
namespace {
// One batch and what the probe said before and after it.
struct ProbedBatch {
  double before_s = 0, after_s = 0, seconds = 0;
};

std::vector<StateTime> by_state(const std::vector<ProbedBatch>& batches) {
  // Hand-overs of one state differ by less, those of two by several times as much.
  constexpr double alike = 2;
  std::vector<std::pair<double, double>> settled;  // hand-over, seconds of an iteration
  for (const ProbedBatch& b : batches)
    if (const double low = std::min(b.before_s, b.after_s), high = std::max(b.before_s, b.after_s);
        low > 0 && high < alike * low)
      settled.emplace_back(high, b.seconds);
  std::ranges::sort(settled);
  std::vector<StateTime> states;
  for (std::size_t from = 0, to = 0; from < settled.size(); from = to) {
    std::vector<double> handovers, seconds;
    for (; to < settled.size() && (to == from || settled[to].first < alike * settled[to - 1].first); ++to) {
      handovers.push_back(settled[to].first);
      seconds.push_back(settled[to].second);
    }
    states.push_back({base::median(handovers), calibration::half_sample_mode(seconds), static_cast<int>(to - from)});
  }
  return states;
}
}  // namespace

CollectiveTime time_collectively(const Communicator& ranks, const TimingOptions& options,
                                 const std::function<void()>& prepare, const std::function<void()>& repetition,
                                 HandoverProbe* probe) {
  std::vector<double> batches;
  std::vector<ProbedBatch> probed;
  const auto handover = [&] { return probe != nullptr ? probe->seconds() : 0; };
  double before_s = handover();
  double spent = 0;
  for (int batch = 0; batch <= options.most_batches; ++batch) {
    prepare();
    MPI_Barrier(ranks.handle());
    const double start = MPI_Wtime();
    for (int k = 0; k < options.repetitions; ++k) repetition();
    const double slowest = ranks.max(MPI_Wtime() - start);
    spent += slowest;
    batches.push_back(slowest / options.repetitions);
    const double after_s = handover();
    probed.push_back({before_s, after_s, batches.back()});
    before_s = after_s;
    // All ranks know the same `slowest`, so they decide alike.
    if (simulated || (batch >= options.least_batches && spent >= options.budget_s)) break;
    if (spent > 4 * options.budget_s && batch >= 2) break;
  }
  if (batches.size() > 1) {
    batches.erase(batches.begin());
    probed.erase(probed.begin());
  }
  const double seconds = calibration::half_sample_mode(batches);
  return {seconds, std::min(base::quantile(batches, 0.05), seconds), std::max(base::quantile(batches, 0.95), seconds),
          static_cast<int>(batches.size()), probe != nullptr ? by_state(probed) : std::vector<StateTime>()};
}

nlohmann::ordered_json states_json(const CollectiveTime& time) {
  nlohmann::ordered_json states = nlohmann::ordered_json::array();
  for (const StateTime& s : time.states)
    states.push_back({{"handover_s", s.handover_s}, {"seconds", s.seconds}, {"batches", s.batches}});
  return states;
}

nlohmann::ordered_json answer_of(const Case& what, const CollectiveTime& time, double core_s) {
  return {{"way", to_string(what.scheme)},
          {"format", to_string(what.format)},
          {"seconds", time.seconds},
          {"low_s", time.low_s},
          {"high_s", time.high_s},
          {"batches", time.batches},
          {"core_s", core_s},
          {"states", states_json(time)}};
}
}  // namespace sparsecast::cluster
