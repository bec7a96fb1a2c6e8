#include "cluster/described/described_cluster.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "cluster/calibrate.hpp"
#include "cluster/described/message_seconds.hpp"
#include "cluster/node/node_time.hpp"
#include "cluster/node_curves.hpp"
#include "cluster/node_sharing.hpp"
#include "fields/cluster_forecast.hpp"
#include "fields/wording.hpp"

namespace sparsecast::cluster {
namespace {
// The forecasts of a case, of all formats that the node's profile knows.
template <class Products>
void add_forecasts(const SchemeFeatures& features, const DescribedCluster& cluster, const PredictOptions& options,
                   const Products& products_in, std::vector<ClusterForecast>& forecasts) {
  constexpr double message_factor = 2;  // beyond the forecast on either side
  NearMessages near;
  if (cluster.node.properties.memory_bandwidth > 0) near.node_bandwidth = cluster.node.properties.memory_bandwidth;
  const MessageSeconds messages = message_seconds(features, cluster.network, near, cluster.ranks());
  for (const LocalFormat format : options.formats) {
    const std::optional<NodeTime> products = products_in(format);
    if (!products) continue;
    const double sent_s = messages.seconds();
    forecasts.push_back({features.scheme, format, described_cluster_model, features.processes,
                         nodes_for(features.processes, cluster.ranks()), products->seconds + sent_s, products->seconds,
                         sent_s, false, products->low_s + sent_s / message_factor,
                         products->high_s + sent_s * message_factor, Tier::data_sheet, messages.latency_s});
  }
}

// The busiest node of a job: one of fewer processes than a node has room for leaves its other cores idle, and what few
// ranks multiply takes what their cores draw.
class BusiestNode {
 public:
  BusiestNode(const DescribedCluster& cluster, const PredictOptions& options)
      : cluster_(cluster), precision_(options.precision) {}

  NodeForecast& of(int processes) {
    const int ranks = busy_ranks(processes, cluster_.ranks());
    auto& place = by_ranks_[ranks];
    if (!place)
      place = std::make_unique<NodeForecast>(cluster_.node, ranks, "best", cluster_.threads, precision_, true);
    return *place;
  }

 private:
  const DescribedCluster& cluster_;
  Precision precision_;
  std::map<int, std::unique_ptr<NodeForecast>> by_ranks_;
};
}  // namespace

Prediction predict_described(const Matrix& matrix, const DescribedCluster& cluster, const PredictOptions& options) {
  const int ranks = cluster.ranks();
  BusiestNode node(cluster, options);
  Prediction prediction;
  prediction.missing = for_each_case(
      matrix, options, cache_share(cluster.node.properties, ranks * cluster.threads, cluster.threads), ranks,
      [&](const SchemeFeatures& features, const Placement& placement) {
        const auto products = [&](LocalFormat format) {
          return node.of(features.processes).seconds(matrix, features.scheme, placement, features, format);
        };
        add_forecasts(features, cluster, options, products, prediction.forecasts);
      });
  return prediction;
}

namespace {
// `share_on` so many processes, of a matrix that is not made.
template <class ShareOn>
Prediction predict_shares(const ShareOn& share_on, const DescribedCluster& cluster, const PredictOptions& options) {
  if (std::ranges::find(options.schemes, Scheme::local_rows) == options.schemes.end())
    throw Error(ErrorCode::usage, "for a structure, only l1dr can be forecast", {},
                wording::format("give {}, or none", wording::option("schemes", Scheme::local_rows)));
  BusiestNode node(cluster, options);
  Prediction prediction;
  for (const int processes : options.processes) {
    base::throw_if_interrupted();
    const NodeShare share = share_on(processes);
    const auto products = [&](LocalFormat format) { return node.of(processes).seconds(share.node, format); };
    add_forecasts(share.features, cluster, options, products, prediction.forecasts);
  }
  return prediction;
}
}  // namespace

Prediction predict_described(const Stencil& stencil, const DescribedCluster& cluster, const PredictOptions& options) {
  return predict_shares([&](int processes) { return share_of(stencil, processes, cluster.ranks(), options.precision); },
                        cluster, options);
}

Prediction predict_described(const Recipe& recipe, const DescribedCluster& cluster, const PredictOptions& options) {
  RecipeShares shares(recipe);
  return predict_shares([&](int processes) { return shares.share(processes, cluster.ranks(), options.precision); },
                        cluster, options);
}
}  // namespace sparsecast::cluster
