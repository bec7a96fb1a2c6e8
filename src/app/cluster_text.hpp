#pragma once
// What `sparsecast cluster predict` prints.

#include <sparsecast/answers/cluster.hpp>
#include <string>

namespace sparsecast::app {
/// A screen of it; with `all` every forecast.
[[nodiscard]] std::string cluster_prediction_text(const ClusterPrediction& answer, bool all);
}  // namespace sparsecast::app
