#include "forecast/machines/machine_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <sparsecast_constants.hpp>

#include "matrix/generate/portable_math.hpp"

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
  const double slice_rows = constants::padded_slice;
  for (const SliceWork& work : s.slices)
    if (work.slice_rows == slice_rows && work.sort_rows == 1 && s.nonzeros > 0)
      return std::max(1.0, static_cast<double>(work.slots) / static_cast<double>(s.nonzeros));
  static const double longest = matrix::normal_quantile((slice_rows - 3. / 8) / (slice_rows + 1. / 4));  // Blom 1958
  const double variation = s.row_std / std::max(s.row_mean, constants::least_variation);
  const double over = std::min({longest * variation, s.row_skew, slice_rows - 1});
  return 1 + std::max(0.0, over) * (1 - alike / 2);
}
}  // namespace

MatrixNumbers::MatrixNumbers(const Structure& s, Precision precision, bool slices) {
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
  if (slices) nonzeros *= slice_padding(s, alike);
  stored = (value + index) * nonzeros + index * rows;
  bytes = stored + value * (rows + cols);
}

std::array<double, machine_feature_count> machine_features(const MatrixNumbers& m, const MachineNumbers& machine) {
  const auto& [no_window, no_mean, no_spread, no_length, no_lone] = constants::machine_floors;
  const double ideal = m.bytes / machine.bandwidth;
  return {std::log(m.bytes / machine.cached()),
          std::log(m.window / machine.last_cache + no_window),
          std::log(m.x_bytes / machine.last_cache),
          std::log(m.row_mean + constants::half_entry),
          std::log(m.row_std / (m.row_mean + no_mean) + no_spread),
          std::sqrt(std::log(1 + m.row_skew)),
          m.lone,
          m.alike,
          m.span,
          std::log(m.longest * machine.units / m.nonzeros + no_length),
          std::log(constants::launch_s / ideal),
          std::log(m.rows / machine.core() / ideal),
          std::log(m.longest / machine.clock / ideal + constants::no_wait),
          std::log(m.nonzeros * (m.lone + no_lone) / (2 * machine.core()) / ideal),
          std::log(machine.last_cache / machine.units)};
}
}  // namespace sparsecast::forecast
