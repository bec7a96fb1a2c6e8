#include "forecast/machines/machine_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace sparsecast::forecast {

MachineNumbers::MachineNumbers(const DeviceProperties& p) {
  gpu = p.kind != DeviceKind::host;
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
  if (p.vector_bits > 0) lanes = p.vector_bits / 64.0;
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
  const double variation = s.row_std / std::max(s.row_mean, 0.01);
  const double over = std::min({2.07 * variation, s.row_skew, slice_rows - 1.0});
  return 1 + std::max(0.0, over) * (1 - alike / 2);
}

// Of lengths that scatter by their deviation, two fifths of it are over the mean, and as much is padded below.
double split_padding(const Structure& s) {
  return 1 + std::min(0.4 * s.row_std / std::max(s.row_mean, 0.01), 1.0) * 16 / 12;
}

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
  if (padding == Padding::split) nonzeros *= split_padding(s);
  stored = padding == Padding::coordinates ? (value + 2 * index) * nonzeros : (value + index) * nonzeros + index * rows;
  bytes = stored + value * (rows + cols);
}

std::array<double, machine_feature_count> machine_features(const MatrixNumbers& m, const MachineNumbers& machine) {
  constexpr double launch = 5e-6;  // what a kernel's start takes on any machine, in order of magnitude
  const double ideal = m.bytes / machine.bandwidth;
  return {std::log(m.bytes / machine.cached()),
          std::log(m.window / machine.last_cache + 1e-4),
          std::log(m.x_bytes / machine.last_cache),
          std::log(m.row_mean + 0.5),
          std::log(m.row_std / (m.row_mean + 0.1) + 0.03),
          std::sqrt(std::log(1 + m.row_skew)),
          m.lone,
          m.alike,
          m.span,
          std::log(m.longest * machine.units / m.nonzeros + 0.01),
          std::log(launch / ideal),
          std::log(m.rows / machine.core() / ideal),
          std::log(m.longest / machine.clock / ideal + 1e-9),
          std::log(m.nonzeros * (m.lone + 0.02) / (2 * machine.core()) / ideal),
          std::log(machine.last_cache / machine.units)};
}

}  // namespace sparsecast::forecast
