#include "cluster/node/own_node.hpp"

#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast_constants.hpp>
#include <string>

#include "cluster/calibrate.hpp"
#include "cluster/node_sharing.hpp"
#include "cluster/scheme/partition.hpp"
#include "cluster/training_matrices.hpp"

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

double OwnNode::ratio_to(const ClusterProfile& cluster) {
  if (!profile_) return 0;
  std::map<std::string, MatrixSpec> made;
  for (const auto& list : {training_matrices(false), ninety_matrices(false)})
    for (const MatrixSpec& spec : list) made.try_emplace(generated_name(spec), spec);
  const TrainingRun* smallest = nullptr;
  for (const TrainingRun& run : cluster.runs) {
    const bool placed = run.features.processes == 1 || has_partitioner();
    if (run.node_seconds() > 0 && placed && made.contains(run.matrix) &&
        (smallest == nullptr || run.features.nonzeros < smallest->features.nonzeros))
      smallest = &run;
  }
  if (smallest == nullptr) return 0;
  const Matrix matrix = generate(made.at(smallest->matrix));
  const Scheme scheme = smallest->features.scheme;
  const Placement placement =
      place(matrix, smallest->features.processes, CalibrateOptions().seed, scheme != Scheme::two_d_uniform);
  SchemeFeatures again = scheme_features(matrix, scheme, placement, cluster.caches, cluster.cores_per_node);
  tell(again, matrix, placement);
  return again.node_s[static_cast<std::size_t>(smallest->format)] / smallest->node_seconds();
}

bool is_same_host(double ratio) { return ratio < constants::same_host && 1 < ratio * constants::same_host; }
}  // namespace sparsecast::cluster
