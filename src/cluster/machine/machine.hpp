#pragma once
// Machines that are known by name (profiles/systems/machines.tsv), and forecasts of products there: the memory of what
// decides at the share of its bandwidth that such systems reach in HPCG, and messages by the network's description.

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/described/recipe.hpp"
#include "cluster/described/stencil.hpp"
#include "cluster/machine/parts.hpp"
#include "cluster/models/prediction.hpp"

namespace sparsecast::cluster {
struct Machine {
  MachineParts parts;             ///< all of it
  int rails = 1;                  ///< adapters of a node
  int ranks = 1;                  ///< of a node: one of a socket's memory domains, an accelerator, or half of one
  std::int64_t memory_bytes = 0;  ///< of a node, as Part::bandwidth: its accelerators' where it has any
};

std::vector<std::string> machine_names();
/// Error usage for an unknown name, with all names.
Machine machine_of(const std::string& name);

/// Counts of nodes to choose from: powers of two up to all, as far as most_processes goes.
std::vector<int> counts_of_nodes(const Machine& machine);

/// As predict_described(), in l1dr and CSR alone. Extrapolated are counts of nodes that the machine does not have.
/// Error usage where l1dr is not among options.schemes, or csr among the formats.
Prediction predict_machine(const Stencil& stencil, const Machine& machine, const PredictOptions& options);
Prediction predict_machine(const Recipe& recipe, const Machine& machine, const PredictOptions& options);
Prediction predict_machine(const Matrix& matrix, const Machine& machine, const PredictOptions& options);
}  // namespace sparsecast::cluster
