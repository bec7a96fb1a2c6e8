#include "planning/powers/memory_now.hpp"

#include <algorithm>
#include <sparsecast_constants.hpp>

#include "base/curve.hpp"
#include "hardware/host/host_curves.hpp"

namespace sparsecast::planning {
namespace {
constexpr double look_s = 5e-3;  // some passes over that much memory take longer
// Of the streams of y += a·x, of which x and y are counted and y goes both ways.
constexpr double streams_of_update = 1.5;

double cache_bytes(const Profile& profile) {
  const auto& caches = profile.properties.caches;
  return caches.empty() ? 0 : static_cast<double>(caches.back().size_bytes);
}

// From memory, as far as the curve goes: others only slow it down, so that the better of two points counts.
double from_memory_rate(const Profile& profile, int threads, const char* curve) {
  const Curve* found = profile.curve(curve, threads);
  if (found == nullptr || !base::usable(*found)) return 0;
  const double bytes = constants::memory_look_caches * cache_bytes(profile);
  return std::max(base::value_at(*found, bytes), base::value_at(*found, 2 * bytes));
}
}  // namespace

MemoryNow::MemoryNow(const Profile& profile, int threads, double rate, int value_bytes)
    : last_cache_(cache_bytes(profile)),
      read_(from_memory_rate(profile, threads, "read_bandwidth")),
      calibrated_(from_memory_rate(profile, threads, "update_bandwidth")),
      rate_(rate > 0 ? rate : calibrated_),
      value_bytes_(value_bytes) {}

double MemoryNow::rate_now(const Profile& profile, int threads) {
  if (from_memory_rate(profile, threads, "update_bandwidth") <= 0 || cache_bytes(profile) <= 0) return 0;
  const auto bytes = static_cast<std::int64_t>(constants::memory_look_caches * cache_bytes(profile));
  return hardware::host_update_bandwidth(bytes, threads, look_s);
}

// x is read; y is written, and before that its lines come from memory too.
double MemoryNow::bytes_of(const SingleKernel& product, std::int64_t rows) const {
  return static_cast<double>(product.bytes) + 3.0 * static_cast<double>(rows) * value_bytes_;
}

bool MemoryNow::from_memory(const SingleKernel& product, std::int64_t rows) const {
  return product.bytes > 0 && last_cache_ > 0 && bytes_of(product, rows) >= constants::memory_from_caches * last_cache_;
}

double MemoryNow::product_s(const SingleKernel& product, std::int64_t rows) const {
  if (product.measured_s || read_ <= 0 || !from_memory(product, rows)) return product.seconds;
  const double bytes = bytes_of(product, rows);
  return std::max(product.seconds, bytes / read_) + later_s(bytes);
}

double MemoryNow::later_s(double bytes) const {
  if (calibrated_ <= 0) return 0;
  return (bytes / rate_ - bytes / calibrated_) / streams_of_update;
}
}  // namespace sparsecast::planning
