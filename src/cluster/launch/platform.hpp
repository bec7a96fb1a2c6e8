#pragma once
// A simulated cluster: a SimGrid platform file (XML, DTD 4.1) whose hosts are nodes. Ranks fill the nodes in order, as
// many per node as a host has cores.

#include <filesystem>
#include <string>
#include <vector>

namespace sparsecast::cluster {

struct Platform {
  std::string name;                ///< the file's, without ending
  std::vector<std::string> hosts;  ///< in the order of the file
  int cores_per_host = 1;
  [[nodiscard]] int nodes(int processes) const { return (processes + cores_per_host - 1) / cores_per_host; }
};

/// Reads the <cluster> element. Error bad_input for a file without one.
Platform read_platform(const std::filesystem::path& file);

/// smpirun and its options for so many ranks; writes the host file into the folder. Error usage where the platform has
/// fewer cores.
std::vector<std::string> simulation_command(const std::filesystem::path& platform, int processes,
                                            const std::filesystem::path& folder);

}  // namespace sparsecast::cluster
