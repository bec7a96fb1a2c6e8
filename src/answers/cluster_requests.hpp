#pragma once
// What every question about clusters accepts, whoever asks: numbers of processes, nodes, threads, iterations, seconds.
// The command's parser refuses most of it before; Python, C++ and C ask here.

#include <sparsecast/answers/cluster.hpp>

namespace sparsecast::answers {
/// The request with each count, scheme and format once, in the order in which they were given, and all schemes and
/// formats where none is named. Error usage for a number that is none of what it counts.
[[nodiscard]] ClusterPredictRequest checked(ClusterPredictRequest request);
[[nodiscard]] ClusterMeasureRequest checked(ClusterMeasureRequest request);
[[nodiscard]] ClusterCalibrateRequest checked(ClusterCalibrateRequest request);
[[nodiscard]] ClusterEvaluateRequest checked(ClusterEvaluateRequest request);
[[nodiscard]] ClusterScriptRequest checked(ClusterScriptRequest request);
}  // namespace sparsecast::answers
