#pragma once
// Sockets, memories, caches and processors of the host.

#include <sparsecast/device.hpp>
#include <vector>

namespace sparsecast::hardware {
/// Counts of what the process may use; 0 where not known.
struct Topology {
  int sockets = 0;
  int numa_domains = 0;
  std::vector<CacheLevel> caches;  ///< of the first processor, ascending by level; shared_by counts processors
};

/// By hwloc (Broquedis et al. 2010) where the build has it, else by the system's files, which tell the caches alone.
[[nodiscard]] Topology host_topology();

/// The system's numbers of the processors that this process may use, one of every core first, then the second of every
/// core, …; empty without hwloc.
[[nodiscard]] std::vector<int> processors_by_core();
}  // namespace sparsecast::hardware
