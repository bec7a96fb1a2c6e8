#pragma once
// sparsecast cluster evaluate: the error tables of a cluster profile.

#include "app/commands.hpp"

namespace sparsecast::app {
void add_cluster_evaluate(CLI::App& cluster, const Globals& globals);
}  // namespace sparsecast::app
