#include "cluster/node/own_node.hpp"

#include <sparsecast/error.hpp>

#include "cluster/node_sharing.hpp"

namespace sparsecast::cluster {
OwnNode::OwnNode(int ranks_per_node, int threads_per_rank, Precision precision)
    : ranks_per_node_(ranks_per_node), threads_(threads_per_rank), precision_(precision) {
  try {
    profile_ = calibrated_profile("host");
    if (profile_->tier == Tier::shipped) profile_.reset();  // features are of what was measured
  } catch (const Error&) {
    profile_.reset();
  }
}

NodeForecast* OwnNode::of_ranks(int ranks) {
  const auto known = by_ranks_.find(ranks);
  if (known != by_ranks_.end()) return known->second.get();
  auto& place = by_ranks_[ranks];
  try {
    place = std::make_unique<NodeForecast>(*profile_, ranks, model_names().front(), threads_, precision_);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) throw;
  }
  return place.get();
}

void OwnNode::tell(SchemeFeatures& features, const Matrix& matrix, const Placement& placement) {
  if (!profile_) return;
  NodeForecast* const node = of_ranks(busy_ranks(features.processes, ranks_per_node_));
  if (node == nullptr) return;
  for (const LocalFormat format : all_formats())
    if (const auto time = node->seconds(matrix, features.scheme, placement, features, format))
      features.node_s[static_cast<std::size_t>(format)] = time->seconds;
}
}  // namespace sparsecast::cluster
