#include "cluster/described/described_cluster.hpp"

#include <algorithm>

#include "cluster/described/message_time.hpp"
#include "cluster/node/node_time.hpp"

namespace sparsecast::cluster {
namespace {

constexpr double message_factor = 2;

// What the cores of a rank have of the caches of a full node.
CacheShare share_of(const DeviceProperties& node, int ranks, int threads) {
  CacheShare share;
  for (const CacheLevel& cache : node.caches)
    if (cache.level >= 1 && cache.level <= 3)
      share.bytes[static_cast<std::size_t>(cache.level - 1)] = std::max<std::int64_t>(
          4096, threads * cache.size_bytes / std::clamp(cache.shared_by, 1, std::max(1, ranks * threads)));
  for (std::size_t level = 1; level < share.bytes.size(); ++level)
    share.bytes[level] = std::max(share.bytes[level], share.bytes[level - 1]);
  return share;
}

}  // namespace

Prediction predict_described(const Matrix& matrix, const DescribedCluster& cluster, const PredictOptions& options) {
  const int ranks = cluster.ranks();
  NodeForecast node(cluster.node, ranks, "best", RowLoop::best, cluster.threads, options.precision);
  NearMessages near;
  if (cluster.node.properties.memory_bandwidth > 0) near.node_bandwidth = cluster.node.properties.memory_bandwidth;
  Prediction prediction;
  prediction.missing =
      for_each_case(matrix, options, share_of(cluster.node.properties, ranks, cluster.threads), ranks,
                    [&](const SchemeFeatures& features, const Placement& placement) {
                      const MessageSeconds messages = message_seconds(features, cluster.network, near, ranks);
                      for (const LocalFormat format : options.formats) {
                        const auto products = node.seconds(matrix, features.scheme, placement, features, format);
                        if (!products) continue;
                        ClusterForecast f;
                        f.scheme = features.scheme;
                        f.format = format;
                        f.model = described_cluster_model;
                        f.processes = features.processes;
                        f.nodes = nodes_for(features.processes, ranks);
                        f.core_s = products->seconds;
                        f.communication_s = messages.seconds();
                        f.seconds = f.core_s + f.communication_s;
                        f.low_s = products->low_s + f.communication_s / message_factor;
                        f.high_s = products->high_s + f.communication_s * message_factor;
                        f.tier = "data sheet";
                        f.latency_s = messages.latency_s;
                        prediction.forecasts.push_back(std::move(f));
                      }
                    });
  return prediction;
}

}  // namespace sparsecast::cluster
