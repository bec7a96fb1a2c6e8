#include "hardware/host/host_properties.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <fstream>

#include "base/machine/fork_join.hpp"
#include "base/machine/memory.hpp"
#include "base/threads.hpp"
#include "formats/simd/simd.hpp"
#include "hardware/curve_steps.hpp"
#include "hardware/description.hpp"
#include "hardware/host/host_curves.hpp"
#include "hardware/host/topology.hpp"

namespace sparsecast::hardware {
namespace {
// Rows that one thread takes at a time. It fixes the host's strip, S = threads × this, and so the sizes of the papers'
// benchmark matrices: ten strips of 1024 rows reach from the first to the last cache at 4 to 1024 non-zeros a row.
constexpr int rows_per_chunk = 1024;

// What the first processor's line of that name says; empty where there is none.
std::string processor_line(std::string_view name) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with(name))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return {};
}

int vector_bits() {
  switch (formats::best_simd()) {
    case formats::Simd::avx512: return 512;
    case formats::Simd::avx2: return 256;
    case formats::Simd::portable: break;
  }
  return 128;
}
}  // namespace

DeviceProperties host_properties() {
  DeviceProperties host;
  host.name = "host";
  host.model = processor_line("model name");
  if (host.model.empty()) host.model = "unknown processor";
  host.vendor = host.model.find("AMD") != std::string::npos     ? "AMD"
                : host.model.find("Intel") != std::string::npos ? "Intel"
                                                                : "";
  host.kind = DeviceKind::host;
  host.compute_units = base::available_cores();
  host.warp_size = 1;
  host.warps_per_unit = 1;
  host.threads_per_unit = 1;
  host.rows_per_chunk = rows_per_chunk;
  host.memory_bytes = base::memory_bytes();
  host.clock_hz = 1e6 * std::strtod(processor_line("cpu MHz").c_str(), nullptr);
  const Topology topology = host_topology();
  host.caches = topology.caches;
  host.sockets = topology.sockets;
  host.numa_domains = topology.numa_domains;
  host.driver = fmt::format("compiler {}", __VERSION__);
  host.microcode = processor_line("microcode");
  host.source = "operating system";
  if (const std::string fewer = base::cores_text(); !fewer.empty()) host.sources["compute_units"] = fewer;
  return host;
}

// This machine as a description that reads back elsewhere.

DeviceProperties describe_host() {
  DeviceProperties host = host_properties();
  // Where fewer cores are lent than share a cache, those have it among themselves.
  for (CacheLevel& cache : host.caches) cache.shared_by = std::min(cache.shared_by, host.compute_units);
  host.sockets = std::max(1, host.sockets);
  host.vector_bits = vector_bits();
  const std::int64_t last = std::max<std::int64_t>(32 << 20, last_cache(host, {}).size_bytes);
  const std::int64_t bytes = std::min(4 * last, host.memory_bytes / 8);
  host.memory_bandwidth = host_read_bandwidth(bytes, host.compute_units);
  const double start_s = base::fork_join_seconds(host.compute_units);
  host.launch_s = std::min(start_s, longest_launch_s);
  host.sources["memory_bandwidth"] =
      "measured here by reading with all cores; the system does not know the data sheet's value";
  if (start_s > longest_launch_s)
    host.sources["launch_s"] = "the longest that is taken: it took longer, beside other programs";
  else if (start_s > 0)
    host.sources["launch_s"] = "an empty parallel region of all cores, measured here";
  return host;
}
}  // namespace sparsecast::hardware
