#include "calibration/shipped/stand_in.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast_constants.hpp>

#include "base/curve.hpp"
#include "base/threads.hpp"
#include "fields/tier.hpp"
#include "hardware/device.hpp"

namespace sparsecast::calibration {
namespace {
const Curve* find_curve(const std::vector<Curve>& curves, std::string_view name, int threads) {
  const auto found =
      std::ranges::find_if(curves, [&](const Curve& curve) { return curve.name == name && curve.threads == threads; });
  return found == curves.end() ? nullptr : &*found;
}

// Footprints at which the caches of two processors begin to overflow, ascending in both.
struct Alike {
  std::vector<double> here, there;

  Alike(const DeviceProperties& one, const DeviceProperties& other) {
    for (const CacheLevel& cache : one.caches)
      for (const CacheLevel& its : other.caches) {
        const auto size = static_cast<double>(cache.size_bytes), its_size = static_cast<double>(its.size_bytes);
        if (cache.level != its.level || !(size > 0) || !(its_size > 0)) continue;
        if (!here.empty() && (size <= here.back() || its_size <= there.back())) continue;
        here.push_back(size);
        there.push_back(its_size);
      }
  }

  // A footprint of one processor as the other has it; beyond the caches, by the nearest one's ratio.
  static double across(const std::vector<double>& from, const std::vector<double>& to, double bytes) {
    if (from.empty()) return bytes;
    if (bytes <= from.front()) return bytes * to.front() / from.front();
    if (bytes >= from.back()) return bytes * to.back() / from.back();
    return base::value_at({.name = {}, .threads = 0, .x = from, .y = to}, bytes);
  }
  [[nodiscard]] double to_there(double bytes) const { return across(here, there, bytes); }
  [[nodiscard]] double to_here(double bytes) const { return across(there, here, bytes); }
};

// What the probe's points are of the shipped curve; nothing where either is missing.
Curve ratios(const ShippedProcessor& processor, const Alike& alike, const HostProbe& probe, std::string_view name,
             int threads) {
  Curve ratio;
  const Curve* points = find_curve(probe.curves, name, threads);
  const Curve* shipped = find_curve(processor.curves, name, shipped_threads(processor, threads));
  if (points == nullptr || shipped == nullptr) return ratio;
  for (std::size_t i = 0; i < points->x.size(); ++i) {
    ratio.x.push_back(points->x[i]);
    ratio.y.push_back(points->y[i] / base::value_at(*shipped, alike.to_there(points->x[i])));
  }
  return ratio;
}

Curve ratios_or_of_one(const ShippedProcessor& processor, const Alike& alike, const HostProbe& probe,
                       std::string_view name, int threads) {
  Curve ratio = ratios(processor, alike, probe, name, threads);
  return ratio.x.empty() ? ratios(processor, alike, probe, name, 1) : ratio;
}

bool counts_launches(std::string_view name) { return name == "launch"; }
}  // namespace

std::vector<Curve> scaled_curves(const ShippedProcessor& processor, const DeviceProperties& here,
                                 const HostProbe& probe, int threads) {
  const Alike alike(here, processor.properties);
  const Curve read = ratios_or_of_one(processor, alike, probe, "read_bandwidth", threads);
  const Curve gather = ratios_or_of_one(processor, alike, probe, "gather_rate", threads);
  Curve load = ratios(processor, alike, probe, "latency", 1);
  // A load from far takes as a gather from there: that is what a gather waits for.
  if (!load.x.empty() && gather.x.size() > 1 && gather.x.back() > load.x.back()) {
    load.x.push_back(gather.x.back());
    load.y.push_back(1 / gather.y.back());
  }
  std::vector<Curve> curves;
  for (const Curve& shipped : processor.curves) {
    if (shipped.threads != shipped_threads(processor, threads)) continue;
    Curve curve = shipped;
    curve.threads = threads;
    const Curve* probed = find_curve(probe.curves, shipped.name, threads);
    if (counts_launches(shipped.name)) {
      if (probed != nullptr) curve = *probed;
      curves.push_back(std::move(curve));
      continue;
    }
    const Curve ratio = shipped.name == "gather_rate"       ? gather
                        : shipped.name == "latency"         ? load
                        : shipped.name == "fresh_bandwidth" ? ratios(processor, alike, probe, shipped.name, 1)
                                                            : read;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (shipped.name != "fresh_bandwidth") curve.x[i] = alike.to_here(curve.x[i]);
      if (!ratio.x.empty()) curve.y[i] *= base::value_at(ratio, curve.x[i]);
    }
    curves.push_back(std::move(curve));
  }
  if (const Curve* product = find_curve(probe.curves, "csr_product", threads)) curves.push_back(*product);
  return curves;
}

const ShippedProcessor& nearest_processor(const std::vector<ShippedProcessor>& processors, const DeviceProperties& here,
                                          const HostProbe& probe) {
  const auto distance = [&](const ShippedProcessor& processor) {
    const Alike alike(here, processor.properties);
    double sum = 0, squares = 0, points = 0;
    for (const char* name : {"read_bandwidth", "gather_rate"})
      for (const double ratio : ratios(processor, alike, probe, name, 1).y) {
        const double log = std::log(ratio);
        sum += log;
        squares += log * log;
        ++points;
      }
    const double apart = points > 0 ? squares / points - sum * sum / (points * points) : 0;
    return std::sqrt(std::max(0.0, apart)) + (processor.properties.vendor == here.vendor ? 0 : constants::other_vendor);
  };
  return *std::ranges::min_element(processors, {}, distance);
}

const ShippedProcessor& processor_like(const Profile& host) {
  if (shipped_processors().size() == 1) return shipped_processors().front();
  return nearest_processor(shipped_processors(), host.properties, probe_of_host(host.properties));
}

void let_stand_in(Profile& host) {
  std::vector<int> lacking;
  for (const int count : {1, available_cores()})
    if (std::ranges::find(lacking, count) == lacking.end() && std::ranges::none_of(host.records, [&](const Record& r) {
          return r.threads == count && r.precision == Precision::double_;
        }))
      lacking.push_back(count);
  if (lacking.empty()) return;
  // What a store has of the host may be of another day's; looking takes some milliseconds.
  const DeviceProperties here =
      host.tier == Tier::shipped ? host.properties : hardware::open_device("host")->properties();
  const HostProbe probe = probe_of_host(here);
  const ShippedProcessor& processor = nearest_processor(shipped_processors(), here, probe);
  if (host.taken.empty()) host.taken = probe.taken;
  for (const int count : lacking) {
    for (Curve& curve : scaled_curves(processor, here, probe, count))
      if (host.curve(curve.name, count) == nullptr) host.curves.push_back(std::move(curve));
    if (probe.doubt > 0 && host.curve(probe_doubt_curve, count) == nullptr)
      host.curves.push_back({probe_doubt_curve, count, {static_cast<double>(count)}, {probe.doubt}});
    host.shipped.push_back(count);
  }
}

Profile shipped_profile() {
  Profile profile;
  profile.properties = hardware::open_device("host")->properties();
  profile.name = profile.properties.name;
  profile.tier = Tier::shipped;
  let_stand_in(profile);
  return profile;
}
}  // namespace sparsecast::calibration
