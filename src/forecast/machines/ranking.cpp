#include "forecast/machines/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sparsecast/recommend.hpp>

#include "forecast/machines/gpu_model.hpp"
#include "forecast/memory_fit.hpp"
#include "forecast/memory_floor.hpp"

namespace sparsecast::forecast {
namespace {
double products_s(const RankEntry& entry, double seconds, double products) {
  return products * seconds + entry.best.preprocess_s.value_or(0) + entry.upload_s;
}

bool converts(const Forecast& one) { return one.preprocess_s.has_value(); }

// Where conversions are forecast at all, a kernel whose own is not is no candidate for few iterations. Where none are,
// what else comes before a solve decides.
void take_whole(const RankedMachine& machine, const FromProduct& whole, std::vector<Forecast>& forecasts) {
  const bool any = std::ranges::any_of(forecasts, converts);
  for (Forecast& forecast : forecasts) {
    const bool unknown = any && !converts(forecast);
    forecast = whole(machine, forecast);
    if (unknown) forecast.preprocess_s.reset();
  }
}

std::optional<RankEntry> entry_of(const RankedMachine& machine, const Structure& structure, std::int64_t iterations,
                                  Precision precision, const FromProduct& whole, const SeenProducts& seen) {
  std::vector<Forecast> forecasts = machine.models->best(structure, machine.kernels);
  if (seen) seen(machine, forecasts);
  tell_what_fits(forecasts, machine.profile.properties, structure, precision);
  std::set<std::string> converted;
  for (const Forecast& one : forecasts)
    if (converts(one)) converted.insert(one.kernel);
  if (whole) take_whole(machine, whole, forecasts);
  const Recommendation use = recommend(forecasts, iterations);
  const auto chosen = std::ranges::find(forecasts, use.kernel, &Forecast::kernel);
  if (chosen == forecasts.end()) return std::nullopt;
  const DeviceProperties& p = machine.profile.properties;
  const double products = static_cast<double>(std::max<std::int64_t>(1, iterations));
  const double vectors = value_bytes(precision) * static_cast<double>(structure.rows + structure.cols);
  RankEntry entry;
  entry.device = machine.name;
  entry.tier = machine.profile.tier;
  entry.best = *chosen;
  entry.conversion_known = converted.contains(chosen->kernel);
  const auto stored = static_cast<double>(chosen->bytes.value_or(0));
  const double unread = structure.x_reuse.empty() ? 0
                                                  : value_bytes(precision) * static_cast<double>(structure.cols) -
                                                        read_of_x(structure, precision);
  const double moved = stored + vectors - unread;
  if (p.kind != DeviceKind::host) entry.upload_s = (stored + vectors) / constants::upload_rate;
  entry.total_s = products_s(entry, chosen->seconds, products);
  entry.cost = machine.hour * entry.total_s / 3600;
  // What a whole solver moves beside the matrix is not known here.
  if (p.memory_bandwidth > 0 && !whole) entry.roof_share = moved / chosen->seconds / p.memory_bandwidth;
  entry.fits = chosen->fits;
  return entry;
}
}  // namespace

double deviation_of(const RankEntry& entry) {
  // Conversion and upload are no part of the doubt, but of the time.
  const Forecast& f = entry.best;
  const double products = (entry.total_s - entry.upload_s - f.preprocess_s.value_or(0)) / f.seconds;
  return std::log(products_s(entry, f.high_s, products) / products_s(entry, f.low_s, products)) / interval_deviations;
}

double doubt_of(double a, double b) {
  const double variance = a * a + b * b - 2 * GpuModel::current().alike_machines() * a * b;
  return std::sqrt(std::max(constants::least_doubt * constants::least_doubt, variance));
}

double faster_probability(const RankEntry& one, const RankEntry& other) {
  const double doubt = doubt_of(deviation_of(one), deviation_of(other));
  return std::erfc(-std::log(other.due() / one.due()) / doubt / std::sqrt(2.0)) / 2;
}

std::vector<RankEntry> rank_machines(const std::vector<RankedMachine>& machines, const Structure& structure,
                                     std::int64_t iterations, Precision precision, const FromProduct& whole,
                                     const SeenProducts& seen) {
  std::vector<RankEntry> ranking;
  for (const RankedMachine& machine : machines)
    if (auto entry = entry_of(machine, structure, iterations, precision, whole, seen))
      ranking.push_back(std::move(*entry));
  std::ranges::stable_sort(ranking, {}, [](const RankEntry& one) { return std::pair(!one.fits, one.due()); });
  for (std::size_t i = 1; i < ranking.size(); ++i)
    ranking[i].tie = faster_probability(ranking[0], ranking[i]) < constants::called;
  for (std::size_t i = 0; i + 1 < ranking.size(); ++i)
    ranking[i].faster_probability = faster_probability(ranking[i], ranking[i + 1]);
  return ranking;
}
}  // namespace sparsecast::forecast
