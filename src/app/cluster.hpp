#pragma once
// The nested commands of `sparsecast cluster`.

#include "app/commands.hpp"

namespace sparsecast::app {

void add_cluster_calibrate(CLI::App& cluster, const Globals& globals);
void add_cluster_measure(CLI::App& cluster, const Globals& globals);
void add_cluster_predict(CLI::App& cluster, const Globals& globals);
void add_cluster_script(CLI::App& cluster, const Globals& globals);

}  // namespace sparsecast::app
