#include "calibration/timing.hpp"

#include <algorithm>
#include <cmath>

#include "base/interrupt.hpp"
#include "base/machine/core_speed.hpp"
#include "base/machine/fork_join.hpp"
#include "base/median.hpp"
#include "hardware/host/bound_team.hpp"

namespace sparsecast::calibration {
namespace {
// One product's blocks so far.
struct Series {
  hardware::Product* product;
  int warm_up = 0;  // products before a block that are not timed
  int alpha = 1;
  int beta = 2;
  int repeats = 0;
  double spent = 0;
  std::vector<double> blocks;
  std::vector<double> steps, launches;

  // Warm-up, and at the same time the choice of α and β: their difference lasts about block_s.
  Series(hardware::Product* timed, double block_s, bool alone) : product(timed) {
    (void)product->run(1);
    int runs = 1;
    double taken = product->run(runs);
    while (taken < block_s / 4 && runs < (1 << 22)) {
      const double factor = std::clamp(block_s / 3 / std::max(taken, 1e-9), 2.0, 16.0);
      runs = static_cast<int>(runs * factor);
      taken = product->run(runs);
    }
    const int difference = std::max(1, static_cast<int>(std::lround(block_s / taken * runs)));
    // A long α run would only add its own noise; a run of one product is enough to start the series. Beside a product
    // that outlasts a block, the cost of a start is nothing, and a difference of one is worse than none: an
    // interruption of the α run would make the block shorter than any product can be.
    alpha = difference < 3 ? 0 : std::max(1, difference / 16);
    // Where others run in between, the first product finds their data in the caches. In the β runs it would lengthen
    // the block, in the α runs shorten it. What refilling costs is nothing beside a product that takes this long.
    constexpr double longest_refilled = 0.05;
    if (!alone && taken < longest_refilled * runs) warm_up = 1;
    beta = alpha + difference;
  }

  void take_block(const TimingOptions& options) {
    if (options.core_speed) steps.push_back(base::core_step_seconds());
    if (options.threads > 1) launches.push_back(base::fork_join_seconds(options.threads));
    if (warm_up > 0) spent += product->run(warm_up);
    const double short_s = alpha > 0 ? product->run(alpha) : 0;
    const double long_s = product->run(beta);
    // A clock that ran backwards over an interruption gives no block.
    if (long_s > short_s) blocks.push_back((long_s - short_s) / (beta - alpha));
    // A GPU's clock is read while it is still at work's pace.
    if (const double cycle = options.core_speed ? 0 : product->cycle_seconds(); cycle > 0) steps.push_back(cycle);
    repeats += alpha + beta;
    spent += short_s + long_s;
  }

  [[nodiscard]] Timing result() const {
    Timing timing;
    timing.repeats = repeats;
    timing.step_s = base::median(steps);
    timing.launch_s = base::median(launches);
    if (blocks.empty()) return timing;
    std::vector<double> sorted = blocks;
    std::ranges::sort(sorted);
    timing.seconds = half_sample_mode(sorted);
    // The densest blocks may be the very first or last of them.
    timing.low_s = std::min(base::quantile(sorted, 0.05), timing.seconds);
    timing.high_s = std::max(base::quantile(sorted, 0.95), timing.seconds);
    std::vector<double> deviations;
    for (const double block : sorted) deviations.push_back(std::abs(block - timing.seconds));
    timing.spread = base::median(std::move(deviations)) / timing.seconds;
    return timing;
  }

  // The deviation of the centre shrinks with the number of blocks; that of one block does not.
  [[nodiscard]] bool enough(const TimingOptions& options) const {
    const int count = static_cast<int>(blocks.size());
    if (count >= options.max_blocks) return true;
    if (count < options.min_blocks) return spent > 4 * options.max_s && count >= 3;
    return spent > options.max_s || result().spread / std::sqrt(count) <= options.target_spread;
  }
};
}  // namespace

double half_sample_mode(std::vector<double> values) {
  std::ranges::sort(values);
  std::span<const double> sample(values);
  while (sample.size() > 3) {
    const std::size_t half = (sample.size() + 1) / 2;
    std::size_t best = 0;
    for (std::size_t i = 1; i + half <= sample.size(); ++i)
      if (sample[i + half - 1] - sample[i] < sample[best + half - 1] - sample[best]) best = i;
    sample = sample.subspan(best, half);
  }
  if (sample.empty()) return 0;
  if (sample.size() == 3) {
    // The mean of the closer pair; of equal distances, the middle one.
    const double left = sample[1] - sample[0], right = sample[2] - sample[1];
    if (left == right) return sample[1];
    return left < right ? (sample[0] + sample[1]) / 2 : (sample[1] + sample[2]) / 2;
  }
  return sample.size() == 2 ? (sample[0] + sample[1]) / 2 : sample[0];
}

bool runs_on_cores(const DeviceProperties& properties) {
  return properties.kind == DeviceKind::host || properties.limits.contains("host_processor");
}

bool same_fork_join(double launch_s, double other_s) {
  constexpr double scatter = 1.25;
  return launch_s <= 0 || other_s <= 0 || std::max(launch_s, other_s) < scatter * std::min(launch_s, other_s);
}

bool less_noisy(const Timing& again, const Timing& before) {
  if (!(again.seconds > 0) || !(before.seconds > 0)) return again.seconds > 0;
  if (!same_fork_join(again.launch_s, before.launch_s)) return again.launch_s < before.launch_s;
  if (again.step_s > 0 && before.step_s > 0) return again.seconds / again.step_s < before.seconds / before.step_s;
  return again.seconds < before.seconds;
}

bool undisturbed(std::span<const Timing> timings, double usual_launch_s, double usual_spread) {
  // A quiet machine: one matrix in a hundred on one thread, in twenty on two.
  const double restless = std::max(0.03, 1.5 * usual_spread);
  std::vector<double> spreads;
  for (const Timing& timing : timings) {
    if (!same_fork_join(timing.launch_s, usual_launch_s)) return false;
    spreads.push_back(timing.spread);
  }
  return base::median(std::move(spreads)) <= restless;
}

std::vector<Timing> time_interleaved(std::span<hardware::Product* const> products, const TimingOptions& options) {
  // Only of the host: what a GPU's driver or PoCL starts is its own.
  const hardware::BoundTeam bound(options.threads);
  std::vector<Series> series;
  series.reserve(products.size());
  for (hardware::Product* product : products) {
    base::throw_if_interrupted();
    series.emplace_back(product, options.block_s, products.size() == 1);
  }
  // At most twice the blocks in rounds: some may be lost to a clock that jumped.
  for (int round = 0; round < 2 * options.max_blocks; ++round) {
    bool all_enough = true;
    for (Series& one : series) {
      if (one.enough(options)) continue;
      base::throw_if_interrupted();
      all_enough = false;
      bound.again();
      one.take_block(options);
    }
    if (all_enough) break;
  }
  std::vector<Timing> results;
  for (const Series& one : series) results.push_back(one.result());
  return results;
}
}  // namespace sparsecast::calibration
