#include "cluster/launch/mpirun_line.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace sparsecast::cluster {
std::string mapping_option(const PlacedRanks& ranks) {
  if (ranks.nodes == 1 && !ranks.cores_idle) return {};
  return fmt::format("--map-by ppr:{}:node", std::min(ranks.processes, ranks.ranks_per_node));
}

std::string mpirun_line(const PlacedRanks& ranks) {
  std::string line = fmt::format("mpirun -n {}", ranks.processes), mapping = mapping_option(ranks);
  if (ranks.threads > 1) mapping = fmt::format("{}:PE={}", mapping.empty() ? "--map-by slot" : mapping, ranks.threads);
  if (!mapping.empty()) line += " " + mapping;
  if (ranks.threads > 1) line += fmt::format(" -x OMP_NUM_THREADS={}", ranks.threads);
  return line;
}
}  // namespace sparsecast::cluster
