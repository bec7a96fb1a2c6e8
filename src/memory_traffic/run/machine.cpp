#include "memory_traffic/run/machine.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <utility>

#include "base/curve.hpp"
#include "memory_traffic/counters/counter_layout.hpp"
#include "memory_traffic/run/iterations.hpp"

namespace sparsecast::memory_traffic {
namespace {
// Share of the traced bytes whose stack distance is beyond a capacity.
double share_beyond(const std::vector<double>& reach, double capacity) {
  double beyond = 0, all = 0;
  for (std::size_t bin = 0; bin < reach.size(); ++bin) {
    all += reach[bin];
    const bool first_touch = bin + 1 == reach.size();
    if (first_touch || std::exp2(static_cast<double>(bin + 1) / bins_per_doubling) > capacity) beyond += reach[bin];
  }
  return all > 0 ? beyond / all : 1;
}

const Curve& bandwidth_curve(const Profile& machine, int threads) {
  const Curve* found = nullptr;
  for (const Curve& curve : machine.curves)
    if (curve.name == "read_bandwidth" && base::usable(curve) &&
        (found == nullptr || (threads > 0 && curve.threads == threads)))
      found = &curve;
  if (found == nullptr)
    throw Error(ErrorCode::bad_input, "the profile '" + machine.name + "' holds no read_bandwidth", {},
                "calibrate that machine");
  return *found;
}

// Bytes of a sparse matrix as Octave counts it: values, 4-byte indices and pointers.
double sparse_bytes(const Structure& operand) {
  return 12 * static_cast<double>(operand.nonzeros) + 4 * static_cast<double>(operand.cols + 1);
}

// How often the products of an operand read it: once for a block of vectors, once for each that comes alone.
double times_read(double products, double bytes, const Structure& operand) {
  const double vectors = products * 8 * static_cast<double>(operand.cols);
  return bytes > vectors ? std::min(products, (bytes - vectors) / sparse_bytes(operand)) : products;
}

// Adds the seconds of the region's products that were forecast; gives the loads and stores that they stand for. What a
// block's further vectors move stays: a product that has its matrix at hand is as fast as they are read and written.
std::pair<double, double> take_products(const RegionTraffic& region, double& seconds,
                                        const std::vector<Structure>& operands,
                                        const std::vector<std::optional<double>>& product_s) {
  double loads = 0, stores = 0;
  for (std::size_t i = 0; i < std::min(region.products.size(), operands.size()); ++i) {
    if (!product_s[i] || region.products[i] <= 0) continue;
    const double reads = times_read(region.products[i], region.product_bytes[i], operands[i]);
    const double further = (region.products[i] - reads) * 8 * static_cast<double>(operands[i].cols);
    seconds += reads * *product_s[i];
    loads += region.product_bytes[i] - further;
    stores += reads * 8 * static_cast<double>(operands[i].rows);
  }
  return {std::min(loads, region.load_bytes), std::min(stores, region.store_bytes)};
}
}  // namespace

void apply_machine(ProgramTraffic& traffic, const Profile& machine, int threads, const ProductForecast& forecast) {
  const Curve& bandwidth = bandwidth_curve(machine, threads);
  std::vector<CacheLevel> caches = machine.properties.caches;
  std::erase_if(caches, [](const CacheLevel& cache) { return cache.size_bytes <= 0; });
  std::sort(caches.begin(), caches.end(), [](const CacheLevel& a, const CacheLevel& b) { return a.level < b.level; });
  if (caches.empty())
    throw Error(ErrorCode::bad_input, "the profile '" + machine.name + "' describes no caches", {},
                "calibrate that machine again");
  std::vector<std::optional<double>> product_s;
  for (const Structure& operand : traffic.operands)
    product_s.push_back(forecast ? forecast(operand) : std::optional<double>());
  for (RegionTraffic& region : traffic.regions) {
    region.levels.clear();
    double seconds = 0, product_seconds = 0;
    const auto [forecast_loads, forecast_stores] = take_products(region, product_seconds, traffic.operands, product_s);
    const double rest_of_loads = region.load_bytes > 0 ? 1 - forecast_loads / region.load_bytes : 1;
    const double rest_of_stores = region.store_bytes > 0 ? 1 - forecast_stores / region.store_bytes : 1;
    double loads = region.load_bytes, stores = region.store_bytes, smaller = 0;
    for (std::size_t k = 0; k <= caches.size(); ++k) {
      const bool memory = k == caches.size();
      region.levels.push_back({memory ? "memory" : fmt::format("L{}", caches[k].level), loads, stores});
      const double capacity = memory ? 0 : static_cast<double>(caches[k].size_bytes);
      const auto further = [&](double here, double all, const std::vector<double>& reach) {
        return memory ? 0 : std::min(here, all * share_beyond(reach, capacity));
      };
      const double further_loads = further(loads, region.load_bytes, region.load_reach),
                   further_stores = further(stores, region.store_bytes, region.store_reach);
      // A footprint that this level holds and the one before it does not.
      const double footprint = memory ? bandwidth.x.back() : (smaller + capacity) / 2;
      const double rate = base::value_at(bandwidth, footprint);
      seconds += ((loads - further_loads) * rest_of_loads + (stores - further_stores) * rest_of_stores) / rate;
      loads = further_loads;
      stores = further_stores;
      smaller = capacity;
    }
    region.seconds = seconds + product_seconds;
    region.product_seconds = product_seconds > 0 ? std::optional(product_seconds) : std::nullopt;
  }
  put_iterations(traffic);
}

Curve described_curve(const DeviceProperties& p) {
  constexpr double of_memory = 0.8, cache_over_memory = 3, gpu_bytes = 64;
  const bool gpu = p.kind != DeviceKind::host;
  const double cycles = p.compute_units * (p.base_clock_hz > 0 ? 0.5 * (p.base_clock_hz + p.clock_hz) : p.clock_hz);
  const double vector = std::max(128, p.vector_bits) / 8.0, memory = of_memory * p.memory_bandwidth;
  Curve curve{"read_bandwidth", gpu ? 0 : p.compute_units, {}, {}};
  double before = 0;
  for (const CacheLevel& cache : p.caches) {
    const double all = static_cast<double>(cache.size_bytes) * p.compute_units / std::max(1, cache.shared_by);
    const double share = cache.level == 1 ? 2 : cache.level == 2 ? 1 : 0.25;
    const double rate = !gpu               ? share * vector * cycles
                        : cache.level == 1 ? gpu_bytes * cycles
                                           : cache_over_memory * p.memory_bandwidth;
    if (all <= 2 * before) continue;
    // No level is faster than the one before it, whatever the data sheets' numbers multiply to.
    const double level = std::max(memory, curve.y.empty() ? rate : std::min(rate, curve.y.back()));
    curve.x.insert(curve.x.end(), {std::max(1024.0, 1.01 * before), all});
    curve.y.insert(curve.y.end(), {level, level});
    before = all;
  }
  curve.x.insert(curve.x.end(), {2 * std::max(before, 1024.0), 64 * std::max(before, 1048576.0)});
  curve.y.insert(curve.y.end(), {memory, memory});
  return curve;
}

std::vector<const RegionTraffic*> outermost_regions(const ProgramTraffic& traffic) {
  std::vector<const RegionTraffic*> found;
  for (const bool function : {false, true}) {
    for (const RegionTraffic& region : traffic.regions)
      if (region.depth == 0 && region.function == function && region.file == traffic.program) found.push_back(&region);
    if (!found.empty()) break;
  }
  return found;
}

ProgramLevels whole_of(const ProgramTraffic& traffic) {
  ProgramLevels whole;
  for (const RegionTraffic* region : outermost_regions(traffic)) {
    whole.seconds += region->seconds.value_or(0);
    whole.levels.resize(std::max(whole.levels.size(), region->levels.size()));
    for (std::size_t k = 0; k < region->levels.size(); ++k) {
      whole.levels[k].level = region->levels[k].level;
      whole.levels[k].bytes += region->levels[k].load_bytes;
    }
  }
  return whole;
}
}  // namespace sparsecast::memory_traffic
