#pragma once
// The rate in HPCG of a machine that is known by its parts: memory read at the data sheets' bandwidth, a share of it
// that was learned from published systems (profiles/systems/hpcg.tsv, which `scripts/hpcg-model` writes), and sums over
// all nodes.

#include <optional>

#include "cluster/machine/parts.hpp"

namespace sparsecast::cluster {
struct HpcgRate {
  double rate = 0, low = 0, high = 0;  ///< flop/s, 90 % interval
  double bandwidth = 0;                ///< bytes/s of all memories that decide
  double share = 1;                    ///< of it that such machines reach
  double sweep_s = 0, sums_s = 0;      ///< of an iteration
  int alike = 0;                       ///< systems with the same decider that were learned from
  bool extrapolated = false;           ///< more nodes than any of them has
};

/// Nothing was learned from systems of this name: names are dealt to folds, each with numbers of its own, which were
/// learned without all systems that a list ever called by a name of the fold. The machine must have no `reason`.
HpcgRate hpcg_rate(const MachineParts& machine);
/// The fold of a name.
int hpcg_fold(std::string_view name);
}  // namespace sparsecast::cluster
