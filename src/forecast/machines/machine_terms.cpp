#include "forecast/machines/machine_terms.hpp"
#include "forecast/physical/x_misses.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast_constants.hpp>

namespace sparsecast::forecast {
namespace {
double rise(double z) { return 1 / (1 + std::exp(-z)); }
}  // namespace

MachineTerms::Sum MachineTerms::operator()(const MatrixNumbers& m, const MachineNumbers& machine) const {
  const auto [steep, place, x_steep, x_place, power, sum_power, lanes_power] = shape;
  const double beyond = rise(std::exp(steep) * (std::log(m.bytes / machine.cached()) - place));
  const double irregular = std::pow(m.lone * (1 - m.alike) + constants::irregular_floor, std::exp(power));
  const auto x_beyond = [&, steepness = std::exp(x_steep), middle = x_place](double size) {
    return rise(steepness * (std::log(m.window / size) - middle));
  };
  // What the longest row has beyond a fair share of a core.
  const double over = std::max(0.0, m.longest - m.nonzeros / machine.units) / machine.clock;
  const double core = machine.core(), stream = beyond * m.bytes / machine.bandwidth, rows = m.rows / core;
  std::array<double, machine_term_count> t{
      machine.units > 1 ? constants::start_s : 0,
      stream,
      m.bytes / (constants::bytes_per_cycle * core),
      m.nonzeros * irregular * x_beyond(machine.last_cache) * beyond * cache_line_bytes / machine.bandwidth,
      m.nonzeros * irregular * x_beyond(machine.near_cache) * constants::next_cache_cycles / core,
      rows,
      over,
      m.nonzeros / core * std::pow(constants::usual_lanes / machine.lanes, lanes_power)};
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
