#pragma once
// In which state the cores of two processes are: how long a store of one takes until the other sees it. A host moves
// its guests between cores with a last-level cache in common (25 to 40 ns here) and cores apart (150 to 210 ns), within
// seconds, and messages take up to several times as long.

#include "cluster/rank/communicator.hpp"

namespace sparsecast::cluster {
/// Of exactly two processes on one node, each on a core of its own; of others, and in a simulation, it says nothing.
class HandoverProbe {
 public:
  /// Collective.
  explicit HandoverProbe(const Communicator& ranks);
#ifdef SPARSECAST_SIMULATION
  ~HandoverProbe() = default;
#else
  ~HandoverProbe();
#endif
  HandoverProbe(const HandoverProbe&) = delete;
  HandoverProbe& operator=(const HandoverProbe&) = delete;
  /// Collective: a tenth of a millisecond. The same on both; 0 where nothing is known.
  [[nodiscard]] double seconds();

 private:
  const Communicator& ranks_;
  MPI_Win window_ = MPI_WIN_NULL;
  int* turn_ = nullptr;  ///< on a cache line of its own, in the memory of both
};
}  // namespace sparsecast::cluster
