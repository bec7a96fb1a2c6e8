#pragma once
// What Open MPI is told so that ranks are where a forecast has them. Without it mpirun fills the first node, however
// few ranks a node was to have.

#include <string>

namespace sparsecast::cluster {
struct PlacedRanks {
  int processes = 1, nodes = 1;
  int ranks_per_node = 1;   ///< at most
  int threads = 1;          ///< of each
  bool cores_idle = false;  ///< of a node with so many ranks
};

/// "--map-by ppr:16:node"; empty where mpirun puts the ranks there by itself. Open MPI 4 and 5 take it.
std::string mapping_option(const PlacedRanks& ranks);
/// "mpirun -n 64 --map-by ppr:16:node:PE=4 -x OMP_NUM_THREADS=4": what stands before the program.
std::string mpirun_line(const PlacedRanks& ranks);
}  // namespace sparsecast::cluster
