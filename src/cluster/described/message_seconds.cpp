#include "cluster/described/message_seconds.hpp"

#include <algorithm>
#include <cmath>

namespace sparsecast::cluster {
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
}  // namespace sparsecast::cluster
