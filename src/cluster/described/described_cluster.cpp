#include "cluster/described/described_cluster.hpp"

#include <fmt/format.h>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/fields/json.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "cluster/node/node_time.hpp"
#include "cluster/node_curves.hpp"

namespace sparsecast::embedded {
std::span<const File> networks();  // profiles/networks/*.json
}

namespace sparsecast {
// From a modem to more than any adapter has; from a nanosecond to ten seconds.
template <>
struct Fields<cluster::Network> {
  using N = cluster::Network;
  static constexpr auto table =
      std::tuple(field<&N::name>(""), field<&N::bandwidth>("", between(1e3, 1e15)),
                 field<&N::rails>("", between(1, 64)).or_default(), field<&N::latency_s>("", between(1e-9, 10)),
                 field<&N::message_s>("", between(0, 10)), field<&N::source>("").or_default());
};
}  // namespace sparsecast

namespace sparsecast::cluster {
Network network_from_text(std::string_view text, const std::string& file) {
  constexpr const char* network_remedy = "docs/schemas/network.schema.json tells what a description holds";
  try {
    return base::read_struct<Network>(base::parse_json(text, {file, network_remedy}));
  } catch (const Error& error) {
    const Place place = error.place().file.empty() ? Place{file} : error.place();  // the parser's has line and column
    throw Error(ErrorCode::bad_input, "not a network description: " + error.reason(), place, network_remedy);
  }
}

std::vector<std::string> described_networks() {
  std::vector<std::string> names;
  for (const embedded::File& file : embedded::networks())
    names.push_back(std::filesystem::path(file.name).stem().string());
  return names;
}

Network network_of(const std::string& name) {
  if (name.ends_with(".json")) return network_from_text(base::read_file(name, {.what = "network description"}), name);
  for (const embedded::File& file : embedded::networks())
    if (std::filesystem::path(file.name).stem() == name) return network_from_text(file.text, std::string(file.name));
  const std::vector<std::string> known = described_networks();
  std::string remedy = base::did_you_mean(name, known);
  if (!remedy.empty()) remedy += "; ";
  throw Error(ErrorCode::usage, fmt::format("no network is called '{}'", name), {},
              remedy + fmt::format("known are {}, or a file.json", fmt::join(known, ", ")));
}

namespace {
// Steps of a tree over so many.
double tree_steps(double count) { return count > 1 ? std::ceil(std::log2(count)) : 0; }

// One vector to or from `count` ranks: whole along a tree, or in pieces that are spread and gathered again, which
// carries it twice and needs a step per rank (van de Geijn; the choice of most MPIs by the size of the message).
MessageSeconds along_tree(double bytes, double count, double latency, double bandwidth) {
  if (count <= 1) return {};
  const double steps = tree_steps(count);
  const MessageSeconds whole{steps * latency, steps * bytes / bandwidth};
  const MessageSeconds pieces{(steps + count - 1) * latency, 2 * bytes * (count - 1) / count / bandwidth};
  return whole.seconds() <= pieces.seconds() ? whole : pieces;
}

MessageSeconds grid_seconds(const SchemeFeatures& f, const Network& network, const NearMessages& near,
                            int ranks_per_node) {
  const Grid grid = grid_of(f.processes);
  const double on_node = std::min(ranks_per_node, f.processes);
  const double nodes = std::ceil(static_cast<double>(f.processes) / ranks_per_node);
  // All grid rows reduce, then all columns broadcast: the ranks of a node share its memory and its adapters.
  const double near_rate = std::min(near.bandwidth, near.node_bandwidth / (2 * on_node));
  const double far_rate = std::min(network.bandwidth, network.node_bandwidth() / on_node);
  const auto group = [&](double ranks, double ranks_on_a_node, std::int64_t rows) {
    const double bytes = value_bytes(f.precision) * static_cast<double>(rows);
    const double inside = std::min(ranks, std::max(1.0, ranks_on_a_node)), across = std::ceil(ranks / inside);
    const MessageSeconds in = along_tree(bytes, inside, near.latency_s, near_rate);
    const MessageSeconds out = nodes > 1 ? along_tree(bytes, across, network.latency_s + network.message_s, far_rate)
                                         : along_tree(bytes, across, near.latency_s, near_rate);
    return MessageSeconds{in.latency_s + out.latency_s, in.bandwidth_s + out.bandwidth_s};
  };
  // A grid row lies on as few nodes as hold it; of a column a node has one rank in a row of the grid.
  const MessageSeconds row = group(grid.columns, on_node, grid.block_rows(f.rows)),
                       column = group(grid.rows, on_node / grid.columns, grid.block_columns(f.rows));
  return {row.latency_s + column.latency_s, row.bandwidth_s + column.bandwidth_s};
}

MessageSeconds gather_seconds(const SchemeFeatures& f, const Network& network, const NearMessages& near,
                              int ranks_per_node) {
  const double on_node = std::min(ranks_per_node, f.processes);
  const double nodes = std::ceil(static_cast<double>(f.processes) / ranks_per_node);
  const double total = value_bytes(f.precision) * static_cast<double>(f.rows);
  // In a ring every share passes every adapter once; unequal shares are waited for one after the other.
  const double unequal = std::max(1.0, f.load.gathered_bytes / std::max(1.0, total));
  const double far = nodes > 1 ? total * (nodes - 1) / nodes * unequal / network.node_bandwidth() : 0;
  // Every rank of the node writes all of x, which another has read.
  const double copies = on_node > 1 ? 2 * total * on_node / near.node_bandwidth : 0;
  const double own_copy = f.processes > 1 ? total / near.bandwidth : 0;
  const double steps =
      tree_steps(nodes) * (network.latency_s + network.message_s) + tree_steps(on_node) * near.latency_s;
  return {steps, std::max({far, copies, own_copy})};
}

MessageSeconds exchange_seconds(const SchemeFeatures& f, const Network& network, const NearMessages& near) {
  const MessageLoad& load = f.load;
  if (load.messages <= 0) return {};
  const bool far = load.far_bytes > 0;
  // The first message's latency shows; each further one costs its core what it takes to post and to take in.
  const double latency = (far ? network.latency_s : near.latency_s) + 2 * network.message_s * load.messages;
  const double into_node = load.node_bytes / network.node_bandwidth(), into_rank = load.far_bytes / network.bandwidth;
  return {latency, std::max(into_node, into_rank) + load.near_bytes / near.bandwidth};
}
}  // namespace

MessageSeconds message_seconds(const SchemeFeatures& features, const Network& network, const NearMessages& near,
                               int ranks_per_node) {
  if (features.processes <= 1) return {};
  switch (features.scheme) {
    case Scheme::two_d_uniform: return grid_seconds(features, network, near, ranks_per_node);
    case Scheme::global_rows: return gather_seconds(features, network, near, ranks_per_node);
    case Scheme::local_rows: break;
  }
  return exchange_seconds(features, network, near);
}

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
    ClusterForecast f;
    f.scheme = features.scheme;
    f.format = format;
    f.model = described_cluster_model;
    f.processes = features.processes;
    f.nodes = nodes_for(features.processes, cluster.ranks());
    f.core_s = products->seconds;
    f.communication_s = messages.seconds();
    f.seconds = f.core_s + f.communication_s;
    f.low_s = products->low_s + f.communication_s / message_factor;
    f.high_s = products->high_s + f.communication_s * message_factor;
    f.tier = "data sheet";
    f.latency_s = messages.latency_s;
    forecasts.push_back(std::move(f));
  }
}

NodeForecast node_of(const DescribedCluster& cluster, const PredictOptions& options) {
  return NodeForecast(cluster.node, cluster.ranks(), "best", RowLoop::best, cluster.threads, options.precision);
}
}  // namespace

Prediction predict_described(const Matrix& matrix, const DescribedCluster& cluster, const PredictOptions& options) {
  const int ranks = cluster.ranks();
  NodeForecast node = node_of(cluster, options);
  Prediction prediction;
  prediction.missing =
      for_each_case(matrix, options, cache_share(cluster.node.properties, ranks * cluster.threads, cluster.threads),
                    ranks, [&](const SchemeFeatures& features, const Placement& placement) {
                      const auto products = [&](LocalFormat format) {
                        return node.seconds(matrix, features.scheme, placement, features, format);
                      };
                      add_forecasts(features, cluster, options, products, prediction.forecasts);
                    });
  return prediction;
}

Prediction predict_described(const Stencil& stencil, const DescribedCluster& cluster, const PredictOptions& options) {
  if (std::ranges::find(options.schemes, Scheme::local_rows) == options.schemes.end())
    throw Error(ErrorCode::usage, "of a structure l1dr alone is forecast", {}, "--way l1dr, or none");
  NodeForecast node = node_of(cluster, options);
  Prediction prediction;
  for (const int processes : options.processes) {
    base::throw_if_interrupted();
    const StencilShare share = share_of(stencil, processes, cluster.ranks(), options.precision);
    const auto products = [&](LocalFormat format) { return node.seconds(share.node, format); };
    add_forecasts(share.features, cluster, options, products, prediction.forecasts);
  }
  return prediction;
}
}  // namespace sparsecast::cluster
