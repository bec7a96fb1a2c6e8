#pragma once
// What of a question about a forecast on a cluster goes together, and what of it changed nothing.

#include <sparsecast/answers/cluster.hpp>
#include <vector>

namespace sparsecast::answers {
/// Error usage for what does not go together.
void check_together(const ClusterPredictRequest& request);
/// Of several schemes the one that PETSc deals rows by: l1dr, or g1dr. Error usage where neither is among them.
void keep_rows(std::vector<ClusterScheme>& schemes);
/// A remark for each option that changed nothing in the forecasts. `cases`: schemes and formats too, for which nothing
/// else says why they are missing.
void remark_unused(const ClusterPredictRequest& request, const ClusterPrediction& answer, bool cases);
}  // namespace sparsecast::answers
