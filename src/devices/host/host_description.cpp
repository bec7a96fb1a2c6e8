// This machine as a description that reads back elsewhere.

#include <algorithm>

#include "base/fork_join.hpp"
#include "devices/description.hpp"
#include "devices/host/host.hpp"
#include "devices/host/host_curves.hpp"
#include "formats/simd/simd.hpp"

namespace sparsecast::devices {
namespace {

std::int64_t last_cache(const DeviceProperties& host) {
  std::int64_t bytes = 32 << 20;
  for (const CacheLevel& cache : host.caches) bytes = std::max(bytes, cache.size_bytes);
  return bytes;
}

int vector_bits() {
  switch (formats::best_simd()) {
    case formats::Simd::avx512:
      return 512;
    case formats::Simd::avx2:
      return 256;
    case formats::Simd::portable:
      break;
  }
  return 128;
}

}  // namespace

DeviceProperties describe_host() {
  DeviceProperties host = host_properties();
  // Where fewer cores are lent than share a cache, those have it among themselves.
  for (CacheLevel& cache : host.caches) cache.shared_by = std::min(cache.shared_by, host.compute_units);
  host.sockets = std::max(1, host.sockets);
  host.vector_bits = vector_bits();
  const std::int64_t bytes = std::min(4 * last_cache(host), host.memory_bytes / 8);
  host.memory_bandwidth = host_read_bandwidth(bytes, host.compute_units);
  host.launch_s = base::fork_join_seconds(host.compute_units);
  host.sources["memory_bandwidth"] = "read here with all cores; the data sheet's is not known to the system";
  if (host.launch_s > 0) host.sources["launch_s"] = "an empty parallel region of all cores, measured here";
  return host;
}

}  // namespace sparsecast::devices
