#include "planning/powers/memory_now.hpp"

#include <algorithm>
#include <sparsecast_constants.hpp>

#include "base/curve.hpp"
#include "hardware/host/host_curves.hpp"

namespace sparsecast::planning {
namespace {
constexpr double look_s = 5e-3;  // in either way to read: some passes over that much memory take longer

double cache_bytes(const Profile& profile) {
  const auto& caches = profile.properties.caches;
  return caches.empty() ? 0 : static_cast<double>(caches.back().size_bytes);
}

double calibrated_rate(const Profile& profile, int threads) {
  const Curve* read = profile.curve("read_bandwidth", threads);
  if (read == nullptr || !base::usable(*read)) return 0;
  return base::value_at(*read, constants::memory_look_caches * cache_bytes(profile));
}
}  // namespace

MemoryNow::MemoryNow(const Profile& profile, int threads, double rate, int value_bytes)
    : last_cache_(cache_bytes(profile)),
      calibrated_(calibrated_rate(profile, threads)),
      rate_(rate > 0 ? rate : calibrated_),
      value_bytes_(value_bytes) {}

double MemoryNow::rate_now(const Profile& profile, int threads) {
  if (calibrated_rate(profile, threads) <= 0 || cache_bytes(profile) <= 0) return 0;
  const auto bytes = static_cast<std::int64_t>(constants::memory_look_caches * cache_bytes(profile));
  return hardware::host_read_bandwidth(bytes, threads, look_s);
}

double MemoryNow::bytes_of(const SingleKernel& product, std::int64_t rows) const {
  return static_cast<double>(product.bytes) + 2.0 * static_cast<double>(rows) * value_bytes_;
}

bool MemoryNow::from_memory(const SingleKernel& product, std::int64_t rows) const {
  return product.bytes > 0 && last_cache_ > 0 && bytes_of(product, rows) >= constants::memory_from_caches * last_cache_;
}

double MemoryNow::product_s(const SingleKernel& product, std::int64_t rows) const {
  if (product.measured_s || calibrated_ <= 0 || !from_memory(product, rows)) return product.seconds;
  const double bytes = bytes_of(product, rows);
  return std::max(product.seconds, bytes / calibrated_) + later_s(bytes);
}

double MemoryNow::later_s(double bytes) const { return calibrated_ > 0 ? bytes / rate_ - bytes / calibrated_ : 0; }
}  // namespace sparsecast::planning
