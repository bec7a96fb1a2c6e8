#include "forecast/machines/machine_model.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast_constants.hpp>

#include "matrix/generate/row_builder.hpp"

namespace sparsecast::forecast {
MachineNumbers::MachineNumbers(const DeviceProperties& p) {
  units = std::max(1, p.compute_units);
  clock = p.base_clock_hz > 0 ? std::sqrt(p.clock_hz * p.base_clock_hz) : p.clock_hz;
  bandwidth = p.memory_bandwidth;
  std::map<int, double> levels;
  for (const CacheLevel& cache : p.caches)
    levels[cache.level] = static_cast<double>(cache.size_bytes) * std::ceil(units / std::max(1, cache.shared_by));
  if (!levels.empty()) {
    last_cache = levels.rbegin()->second;
    near_cache = (levels.size() > 1 ? std::next(levels.rbegin())->second : last_cache) / units;
  }
  constexpr double value_bits = 64;
  if (p.vector_bits > 0) lanes = p.vector_bits / value_bits;
}

namespace {
// Entries that slices of 32 rows in their order store for one non-zero: counted, or as far as the moments of the
// lengths tell. The longest of 32 lengths drawn alone lies two deviations above the mean and never above the longest
// row; rows that are like the next one pad half as much.
double slice_padding(const Structure& s, double alike) {
  constexpr int slice_rows = 32;
  for (const SliceWork& work : s.slices)
    if (work.slice_rows == slice_rows && work.sort_rows == 1 && s.nonzeros > 0)
      return std::max(1.0, static_cast<double>(work.slots) / static_cast<double>(s.nonzeros));
  static const double longest = matrix::normal_quantile((slice_rows - 3. / 8) / (slice_rows + 1. / 4));  // Blom 1958
  const double variation = s.row_std / std::max(s.row_mean, constants::least_variation);
  const double over = std::min({longest * variation, s.row_skew, slice_rows - 1.0});
  return 1 + std::max(0.0, over) * (1 - alike / 2);
}

double rise(double z) { return 1 / (1 + std::exp(-z)); }
}  // namespace

MatrixNumbers::MatrixNumbers(const Structure& s, Precision precision, Padding padding) {
  const double value = value_bytes(precision), index = 4;
  rows = std::max(1.0, static_cast<double>(s.rows));
  cols = std::max(1.0, static_cast<double>(s.cols));
  nonzeros = std::max(1.0, static_cast<double>(s.nonzeros));
  row_mean = s.row_mean;
  row_std = s.row_std;
  row_skew = s.row_skew;
  longest = std::clamp(row_mean * (1 + row_skew), 1.0, cols);
  lone = 1 - std::clamp(s.neighbours, 0.0, 2.0) / 2;
  alike = std::clamp(s.cross_row_similarity, 0.0, 1.0);
  span = s.bandwidth_scaled;
  window = std::min(span * cols + 1, cols) * value;
  x_bytes = value * cols;
  if (padding == Padding::slices) nonzeros *= slice_padding(s, alike);
  stored = (value + index) * nonzeros + index * rows;
  bytes = stored + value * (rows + cols);
}

std::array<double, machine_feature_count> machine_features(const MatrixNumbers& m, const MachineNumbers& machine) {
  const auto& [no_window, no_mean, no_spread, no_length, no_lone] = constants::machine_floors;
  const double ideal = m.bytes / machine.bandwidth;
  return {std::log(m.bytes / machine.cached()),
          std::log(m.window / machine.last_cache + no_window),
          std::log(m.x_bytes / machine.last_cache),
          std::log(m.row_mean + 0.5),
          std::log(m.row_std / (m.row_mean + no_mean) + no_spread),
          std::sqrt(std::log(1 + m.row_skew)),
          m.lone,
          m.alike,
          m.span,
          std::log(m.longest * machine.units / m.nonzeros + no_length),
          std::log(constants::launch_s / ideal),
          std::log(m.rows / machine.core() / ideal),
          std::log(m.longest / machine.clock / ideal + 1e-9),
          std::log(m.nonzeros * (m.lone + no_lone) / (2 * machine.core()) / ideal),
          std::log(machine.last_cache / machine.units)};
}

MachineTerms::Sum MachineTerms::operator()(const MatrixNumbers& m, const MachineNumbers& machine) const {
  const auto [steep, place, x_steep, x_place, power, sum_power, lanes_power] = shape;
  const double beyond = rise(std::exp(steep) * (std::log(m.bytes / machine.cached()) - place));
  const double irregular = std::pow(m.lone * (1 - m.alike) + 1e-3, std::exp(power));
  const auto x_beyond = [&, steepness = std::exp(x_steep), middle = x_place](double size) {
    return rise(steepness * (std::log(m.window / size) - middle));
  };
  // What the longest row has beyond a fair share of a core.
  const double over = std::max(0.0, m.longest - m.nonzeros / machine.units) / machine.clock;
  const double core = machine.core(), stream = beyond * m.bytes / machine.bandwidth, rows = m.rows / core;
  // Lines of 64 bytes; some 20 cycles to the next cache.
  std::array<double, machine_term_count> t{
      1e-6,
      stream,
      m.bytes / (16 * core),
      m.nonzeros * irregular * x_beyond(machine.last_cache) * beyond * 64 / machine.bandwidth,
      m.nonzeros * irregular * x_beyond(machine.near_cache) * 20 / core,
      rows,
      over,
      m.nonzeros / core * std::pow(4 / machine.lanes, lanes_power)};
  // Terms other than the launch run side by side: between the largest and the sum.
  const double together = 1 + std::exp(sum_power);
  double powers = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    t[i] *= std::exp(prices[i]);
    if (i > 0) powers += std::pow(t[i], together);
  }
  const double side_by_side = std::pow(powers, 1 / together);
  Sum sum;
  sum.seconds = t[0] + side_by_side;
  sum.parts[0] = t[0];
  for (std::size_t i = 1; i < t.size(); ++i) sum.parts[i] = side_by_side * std::pow(t[i], together) / powers;
  return sum;
}
}  // namespace sparsecast::forecast
