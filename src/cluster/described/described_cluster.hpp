#pragma once
// Forecasts for a cluster of which nothing was measured: a node, by its profile or its data sheet, and a network, by
// its description.

#include <algorithm>
#include <sparsecast/profile.hpp>
#include <string>

#include "cluster/described/network.hpp"
#include "cluster/described/recipe.hpp"
#include "cluster/described/stencil.hpp"
#include "cluster/models/prediction.hpp"

namespace sparsecast::cluster {
struct DescribedCluster {
  Profile node;  ///< measured, or a description (described_profile())
  Network network;
  int ranks_per_node = 0;  ///< 0: as many as the cores have room for
  int threads = 1;         ///< of each rank

  [[nodiscard]] int ranks() const {
    return ranks_per_node > 0 ? ranks_per_node : std::max(1, node.properties.compute_units / threads);
  }
  [[nodiscard]] std::string name() const { return node.name + " over " + network.name; }
};

/// The name under which these forecasts stand beside those of cluster_models().
inline constexpr const char* described_cluster_model = "described";

/// As predict_cluster(), of the model `described`; options.model is not looked at. Every forecast is of the tier "data
/// sheet", whatever is known of the node: nothing was measured of the network. Its interval is the node's, and a factor
/// of two either way of the messages, which is assumed. Error usage for a node that is no processor.
Prediction predict_described(const Matrix& matrix, const DescribedCluster& cluster, const PredictOptions& options);
/// The same of a matrix that is not made, in l1dr; usage also where that is not among options.schemes.
Prediction predict_described(const Stencil& stencil, const DescribedCluster& cluster, const PredictOptions& options);
Prediction predict_described(const Recipe& recipe, const DescribedCluster& cluster, const PredictOptions& options);
}  // namespace sparsecast::cluster
