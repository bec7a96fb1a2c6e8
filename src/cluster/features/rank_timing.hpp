#pragma once
// What every rank of a simulated scheme computes in one iteration, timed on one core of this machine. It is the slowest
// rank that an iteration waits for, and the most disturbed timing among hundreds looks just like it: all blocks are
// timed in passes of which the least counts, and whichever rank is slowest is timed again until its time stands.

#include <map>
#include <vector>

#include "cluster/features/block_timing.hpp"
#include "cluster/features/rank_parts.hpp"
#include "cluster/features/simulated_load.hpp"
#include "cluster/node_curves.hpp"

namespace sparsecast::cluster {
struct SimulateOptions {
  int most_timed_blocks =
      1 << 20;  ///< 2du: times only so many blocks, evenly spread; the others take the times of those
  BlockTiming timing{0.0002, 6};
  int passes = 4;           ///< over all blocks; what disturbs one pass is over in the next
  int slowest_passes = 12;  ///< over the slowest rank of every format
  /// What ranks of a node share: without curves each has its node to itself.
  NodeCurves node;
  int ranks_per_node = 1;
  int kept_blocks = 0;  ///< return so many timed blocks per scheme and format, and the features of every scheme
  CacheShare caches;
};

class RankTiming {
 public:
  /// Holds the blocks of the timed ranks: as many entries as the matrix has.
  RankTiming(const Matrix& matrix, Scheme scheme, const Placement& placement, const std::vector<LocalFormat>& formats,
             const SimulateOptions& how);
  /// Loads of all ranks by format, each with the ranks beside it on its node. Takes its time when first called.
  const std::map<LocalFormat, std::vector<SimulatedLoad>>& loads();
  /// Of the ranks that options.kept_blocks chooses, with the times that loads() took of each alone.
  [[nodiscard]] std::vector<TimedBlock> kept_blocks() const;

 private:
  struct Timed {
    int rank = 0;
    CsrBlock own, remote;
  };
  SimulateOptions how_;
  int processes_, every_;  ///< 2du: one in so many ranks is timed
  std::vector<Timed> timed_;
  std::map<LocalFormat, std::vector<SimulatedLoad>> alone_, loads_;
  Array<double> x_, y_;
  bool done_ = false;

  void time_rank(const Timed& timed, LocalFormat format, SimulatedLoad& load);
  void settle_slowest(LocalFormat format, std::vector<SimulatedLoad>& loads);
  void share_nodes();
};
}  // namespace sparsecast::cluster
