// sparsecast cluster: iterated products on MPI clusters. One function per nested command; each is in its own file.

#include <CLI/CLI.hpp>

#include "app/cluster.hpp"

namespace sparsecast::app {

void add_cluster(CLI::App& root, const Globals& globals) {
  CLI::App* cluster =
      root.add_subcommand("cluster", "iterated products on MPI clusters: calibrate, predict, measure, script");
  cluster->require_subcommand(1);
  add_cluster_calibrate(*cluster, globals);
  add_cluster_predict(*cluster, globals);
  add_cluster_measure(*cluster, globals);
  add_cluster_script(*cluster, globals);
  // --json and the other global options may also stand behind the nested command.
  for (CLI::App* nested : cluster->get_subcommands({})) nested->fallthrough();
}

}  // namespace sparsecast::app
