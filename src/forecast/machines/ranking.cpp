#include "forecast/machines/ranking.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sparsecast/recommend.hpp>

#include "forecast/machines/described_model.hpp"
#include "forecast/machines/gpu_model.hpp"

namespace sparsecast::forecast {
namespace {
double products_s(const RankEntry& entry, double seconds, double products) {
  return products * seconds + entry.best.preprocess_s.value_or(0) + entry.upload_s;
}

std::optional<RankEntry> entry_of(const RankedMachine& machine, const Structure& structure, std::int64_t iterations,
                                  Precision precision, const FromProduct& whole) {
  std::vector<Forecast> forecasts = machine.models->best(structure, machine.kernels);
  if (whole)
    for (Forecast& forecast : forecasts) forecast = whole(machine, forecast);
  const Recommendation use = recommend(forecasts, iterations);
  const auto chosen = std::ranges::find(forecasts, use.kernel, &Forecast::kernel);
  if (chosen == forecasts.end()) return std::nullopt;
  const DeviceProperties& p = machine.profile.properties;
  const double products = static_cast<double>(std::max<std::int64_t>(1, iterations));
  const double vectors = value_bytes(precision) * static_cast<double>(structure.rows + structure.cols);
  RankEntry entry;
  entry.device = machine.profile.name;
  entry.tier = machine.profile.tier;
  entry.best = *chosen;
  const auto stored = static_cast<double>(chosen->bytes.value_or(0));
  if (p.kind != DeviceKind::host) entry.upload_s = (stored + vectors) / upload_rate;
  entry.total_s = products_s(entry, chosen->seconds, products);
  if (p.memory_bandwidth > 0) entry.roof_share = (stored + vectors) / chosen->seconds / p.memory_bandwidth;
  entry.energy_j = p.power_w * products * chosen->seconds;
  entry.fits = p.memory_bytes == 0 || stored + vectors <= static_cast<double>(p.memory_bytes);
  return entry;
}

// By how much one number of a machine's description would have to be better for it to need no more than `target_s`; 0:
// no factor below `most` suffices.
double factor_for(const RankedMachine& machine, const RankEntry& entry, const Structure& structure, double target_s,
                  double products, Precision precision, double DeviceProperties::*property) {
  constexpr double most = 16;
  const auto total = [&](double factor) {
    Profile changed = machine.profile;
    changed.properties.*property *= factor;
    const auto forecast = fit_described_model(changed, {precision, 0})->forecast(structure, entry.best.kernel);
    return products_s(entry, forecast->seconds, products);
  };
  if (total(most) > target_s) return 0;
  double low = 1, high = most;
  for (int i = 0; i < 20; ++i) {
    const double middle = std::sqrt(low * high);
    (total(middle) > target_s ? low : high) = middle;
  }
  return high;
}

// What binds the machine comes first; where that does not suffice, the other of memory and cores. Neither starts a
// kernel sooner.
Flip flip_of(const RankedMachine& machine, const RankEntry& entry, const Structure& structure, double target_s,
             double products, Precision precision) {
  struct Choice {
    const char* name;
    double DeviceProperties::*property;
  };
  if (machine.profile.tier != "data sheet") return {};
  std::array choices{Choice{"memory_bandwidth", &DeviceProperties::memory_bandwidth},
                     Choice{"clock_hz", &DeviceProperties::clock_hz}};
  const std::optional<Term>& binds = entry.best.bound_by;
  if (binds == Term::launch) return {};
  if (binds != Term::stream && binds != Term::x_from_memory) std::swap(choices[0], choices[1]);
  for (const Choice& choice : choices)
    if (const double factor = factor_for(machine, entry, structure, target_s, products, precision, choice.property);
        factor > 0)
      return {choice.name, factor};
  return {};
}
}  // namespace

double deviation_of(const RankEntry& entry) {
  // Conversion and upload are no part of the doubt, but of the time.
  const Forecast& f = entry.best;
  const double products = (entry.total_s - entry.upload_s - f.preprocess_s.value_or(0)) / f.seconds;
  return std::log(products_s(entry, f.high_s, products) / products_s(entry, f.low_s, products)) / interval_deviations;
}

double doubt_of(double a, double b) {
  constexpr double least_doubt = 0.01;
  const double variance = a * a + b * b - 2 * GpuModel::current().alike_machines() * a * b;
  return std::sqrt(std::max(least_doubt * least_doubt, variance));
}

double faster_probability(const RankEntry& one, const RankEntry& other) {
  const double doubt = doubt_of(deviation_of(one), deviation_of(other));
  return std::erfc(-std::log(other.total_s / one.total_s) / doubt / std::sqrt(2.0)) / 2;
}

std::vector<RankEntry> rank_machines(const std::vector<RankedMachine>& machines, const Structure& structure,
                                     std::int64_t iterations, Precision precision, const FromProduct& whole) {
  struct Candidate {
    RankEntry entry;
    const RankedMachine* machine;
  };
  std::vector<Candidate> found;
  for (const RankedMachine& machine : machines)
    if (auto entry = entry_of(machine, structure, iterations, precision, whole))
      found.push_back({std::move(*entry), &machine});
  std::ranges::stable_sort(found, {}, [](const Candidate& c) { return std::pair(!c.entry.fits, c.entry.total_s); });
  const double products = static_cast<double>(std::max<std::int64_t>(1, iterations));
  constexpr double called = 0.8;
  std::vector<RankEntry> ranking;
  for (Candidate& c : found) {
    if (!ranking.empty()) {
      const RankEntry& first = ranking.front();
      c.entry.tie = faster_probability(first, c.entry) < called;
      if (c.entry.fits && !whole)
        c.entry.flip = flip_of(*c.machine, c.entry, structure, first.total_s, products, precision);
    }
    ranking.push_back(std::move(c.entry));
  }
  for (std::size_t i = 0; i + 1 < ranking.size(); ++i)
    ranking[i].faster_probability = faster_probability(ranking[i], ranking[i + 1]);
  return ranking;
}
}  // namespace sparsecast::forecast
