#include "calibration/rounds.hpp"

#include <algorithm>
#include <cmath>

#include "base/median.hpp"

namespace sparsecast::calibration {
bool KeptTimes::offer(const std::string& kernel, const Timing& timing) {
  const auto found = std::ranges::find(kernels_, kernel);
  if (found == kernels_.end()) {
    kernels_.push_back(kernel);
    timings_.push_back(timing);
    return true;
  }
  Timing& before = timings_[static_cast<std::size_t>(found - kernels_.begin())];
  if (timing.seconds > 0 && before.seconds > 0) repeats_.push_back(std::abs(std::log(timing.seconds / before.seconds)));
  if (!less_noisy(timing, before)) return false;
  before = timing;
  return true;
}

const Timing* KeptTimes::find(const std::string& kernel) const {
  const auto found = std::ranges::find(kernels_, kernel);
  return found == kernels_.end() ? nullptr : &timings_[static_cast<std::size_t>(found - kernels_.begin())];
}

Rounds Rounds::on(const DeviceProperties& properties, bool quick) {
  return properties.kind == DeviceKind::host && !quick ? Rounds{2, 4} : Rounds{1, 1};
}

bool Rounds::takes(int round, const KeptTimes& kept, double usual_fork_join_s, double usual_spread) const {
  return round < every || (round < most && !undisturbed(kept.timings(), usual_fork_join_s, usual_spread));
}

double usual_spread(std::span<const KeptTimes> kept) {
  std::vector<double> of_matrices;
  for (const KeptTimes& of_matrix : kept) {
    std::vector<double> spreads;
    for (const Timing& timing : of_matrix.timings()) spreads.push_back(timing.spread);
    if (!spreads.empty()) of_matrices.push_back(base::median(std::move(spreads)));
  }
  return base::median(std::move(of_matrices));
}

double usual_fork_join(std::span<const KeptTimes> kept) {
  std::vector<double> latencies;
  for (const KeptTimes& of_matrix : kept)
    for (const Timing& timing : of_matrix.timings())
      if (timing.launch_s > 0) latencies.push_back(timing.launch_s);
  return base::median(std::move(latencies));
}

double repeat_error(std::span<const KeptTimes> kept) {
  constexpr std::size_t fewest = 16;
  std::vector<double> repeats;
  for (const KeptTimes& of_matrix : kept)
    repeats.insert(repeats.end(), of_matrix.repeats().begin(), of_matrix.repeats().end());
  std::ranges::sort(repeats);
  return repeats.size() < fewest ? 0 : base::quantile(repeats, 0.75);
}

Curve repeat_curve(double error, int threads) { return {"repeats", threads, {0.75}, {error}}; }

double repeat_error(const Profile& profile, int threads) {
  const Curve* curve = profile.curve("repeats", threads);
  return curve == nullptr || curve->y.empty() ? 0 : curve->y[0];
}

Curve wait_curve(double share, int threads) { return {"waits", threads, {1}, {share}}; }

double wait_share(const Profile& profile, int threads) {
  const Curve* curve = profile.curve("waits", threads);
  return curve == nullptr || curve->y.empty() ? 0 : curve->y[0];
}

bool taken_beside_others(const Profile& profile, int threads) {
  constexpr double most = 0.1;
  return wait_share(profile, threads) > most;
}

double usual_of_records(std::span<const Record> records, double Record::*number, int threads,
                        std::optional<Precision> precision) {
  std::vector<double> told;
  for (const Record& record : records)
    if (record.*number > 0 && record.threads == threads && (!precision || record.precision == *precision))
      told.push_back(record.*number);
  return base::median(std::move(told));
}
}  // namespace sparsecast::calibration
