#pragma once
// A simulated cluster: a SimGrid platform file (XML, DTD 4.1) whose hosts are nodes. Ranks fill the nodes in order, as
// many per node as a host has cores.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cluster/launch/node_links.hpp"

namespace sparsecast::cluster {
struct Platform {
  std::string name;                ///< the file's, without ending
  std::vector<std::string> hosts;  ///< in the order of the file
  int cores_per_host = 1;
  // What the ranks of a host share: <prop id="memory_bandwidth" value="BYTES/S"/>, cache_bytes and cache_cores within
  // the <cluster> element. 0: not told, and nothing is shared.
  double memory_bandwidth = 0;   ///< of all cores of a host together
  std::int64_t cache_bytes = 0;  ///< one last-level cache …
  int cache_cores = 1;           ///< … and the cores that share it
  /// Not known where the file says more of the network than that every host has its own full-duplex link to one switch
  /// (SPLITDUPLEX), with no factors on bandwidth and latency.
  NodeLinks links;
  [[nodiscard]] int nodes(int processes) const { return (processes + cores_per_host - 1) / cores_per_host; }
};

/// Reads the <cluster> element and the properties within it. Error bad_input for a file without one, and for a property
/// that is no number.
Platform read_platform(const std::filesystem::path& file);

/// smpirun and its options for so many ranks; writes the host file into the folder. Error usage where the platform has
/// fewer cores.
std::vector<std::string> simulation_command(const std::filesystem::path& platform, int processes,
                                            const std::filesystem::path& folder);
}  // namespace sparsecast::cluster
