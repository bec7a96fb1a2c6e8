#pragma once
// What every question about clusters accepts, whoever asks. Its numbers have their bounds in the table of fields, which
// the command's parser reads too; here are lists, and what belongs together.

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
