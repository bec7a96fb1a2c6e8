#include "cluster/described/described_cluster.hpp"

#include <limits>
#include <sparsecast/generate.hpp>

#include "base/embedded.hpp"
#include "base/fields/json.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/interrupt.hpp"
#include "base/nearest.hpp"
#include "cluster/calibrate.hpp"
#include "cluster/node/node_time.hpp"

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
                         products->high_s + sent_s * message_factor, "data sheet", messages.latency_s});
  }
}

NodeForecast node_of(const DescribedCluster& cluster, const PredictOptions& options) {
  return NodeForecast(cluster.node, cluster.ranks(), "best", cluster.threads, options.precision);
}

using Edges = std::array<double, 3>;
using Counts = std::array<int, 3>;

bool is_flat(const Stencil& stencil) { return stencil.kind == "poisson2d"; }
bool has_corners(const Stencil& stencil) { return stencil.kind == "stencil27"; }

// So many boxes of a larger one, with the least surface between them.
Counts deal(const Edges& box, int boxes) {
  Counts best{};
  double least = std::numeric_limits<double>::infinity();
  for (int a = 1; a <= boxes; ++a) {
    if (boxes % a != 0) continue;
    for (int b = 1; b <= boxes / a; ++b) {
      if (boxes / a % b != 0) continue;
      const Counts counts{a, b, boxes / a / b};
      const double surface = counts[0] / box[0] + counts[1] / box[1] + counts[2] / box[2];
      if (surface < least) best = counts, least = surface;
    }
  }
  return best;
}

Edges largest_of(const Edges& box, const Counts& counts) {
  Edges part{};
  for (std::size_t d = 0; d < part.size(); ++d) part[d] = std::ceil(box[d] / counts[d]);
  return part;
}

// Points beside a box that has neighbours on so many of its two sides in each direction.
double halo(Edges box, const Counts& sides, bool corners) {
  double points = 0;
  for (std::size_t d = 0; d < box.size(); ++d) {
    points += sides[d] * box[(d + 1) % 3] * box[(d + 2) % 3];
    if (corners) box[d] += sides[d];
  }
  return points;
}

// A structure of so many times as much of the same.
Structure repeated(Structure s, double times) {
  const auto more = [times](auto&... counts) {
    ((counts = static_cast<std::int64_t>(std::llround(static_cast<double>(counts) * times))), ...);
  };
  RowGroups& g = s.row_groups;
  more(s.rows, s.cols, s.nonzeros, s.empty_rows, g.groups, g.shortest, g.longest, g.turns, g.cut_shortest,
       g.cut_longest, g.cut_turns, g.short_groups, g.more_vectors, g.more_rows, g.rest_nonzeros, s.dense_blocks.blocks,
       s.symmetry.diagonal, s.compact.far_slots);
  if (s.dense_diagonals.diagonals > 0) more(s.dense_diagonals.nonzeros, s.dense_diagonals.rest_rows);
  for (RowLengthCount& count : s.row_histogram) more(count.rows);
  for (SliceWork& slice : s.slices) more(slice.slots);
  for (std::int64_t& block : s.block_nonzeros) more(block);
  for (XReuse& reuse : s.x_reuse) more(reuse.lines);
  return s;
}

// A rank's box with its whole layers, which decide what caches keep of x, and no more of them than it takes to tell.
Structure slab(const Stencil& stencil, const Edges& box) {
  constexpr double enough_rows = 1 << 19;
  const double edge = is_flat(stencil) ? box[0] : std::round(std::sqrt(box[0] * box[1]));
  const double layer = is_flat(stencil) ? edge : edge * edge, layers = is_flat(stencil) ? box[1] : box[2];
  const double depth = std::clamp(std::ceil(enough_rows / layer), 1.0, layers);
  MatrixSpec spec;
  spec.kind = stencil.kind;
  spec.parameters = {.size = std::round(edge), .depth = std::round(depth)};
  return analyze(generate(spec));
}

constexpr double points_of(const Edges& box) { return box[0] * box[1] * box[2]; }
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

std::int64_t Stencil::rows() const { return is_flat(*this) ? size * size : size * size * size; }

std::int64_t Stencil::nonzeros() const {
  const std::int64_t pairs = 3 * size - 2;  // along a line, a point with itself counted
  if (has_corners(*this)) return pairs * pairs * pairs;
  return is_flat(*this) ? 5 * rows() - 4 * size : 7 * rows() - 6 * size * size;
}

Stencil stencil_of(const std::string& kind, std::int64_t size) {
  if (kind != "poisson2d" && kind != "poisson3d" && kind != "stencil27")
    throw Error(ErrorCode::usage, fmt::format("no structure is called '{}'", kind), {},
                "take poisson2d, poisson3d or stencil27");
  constexpr std::int64_t most = 500'000;  // 27 · size³ stays within 64 bits
  if (size < 1 || size > most)
    throw Error(ErrorCode::usage, fmt::format("{} points along an edge", size), {}, "--size 1 to 500000");
  return {kind, size};
}

StencilShare share_of(const Stencil& stencil, int processes, int ranks_per_node, Precision precision) {
  const auto edge = static_cast<double>(stencil.size);
  const int on_node = std::min(processes, ranks_per_node);
  const Edges whole{edge, edge, is_flat(stencil) ? 1 : edge};
  const Counts nodes = deal(whole, (processes + on_node - 1) / on_node);
  const Edges node = largest_of(whole, nodes);
  const Counts ranks = deal(node, on_node);
  const Edges box = largest_of(node, ranks);
  Counts all{}, far{}, of_node{};
  int messages = 0, with_corners = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    all[d] = std::min(2, nodes[d] * ranks[d] - 1);
    of_node[d] = std::min(2, nodes[d] - 1);
    far[d] = ranks[d] > 1 ? std::min(1, of_node[d]) : of_node[d];
    messages += all[d];
    with_corners *= all[d] + 1;
  }
  const bool corners = has_corners(stencil);
  const double bytes = static_cast<double>(value_bytes(precision));
  StencilShare share;
  share.features.processes = processes;
  share.features.rows = stencil.rows();
  share.features.nonzeros = stencil.nonzeros();
  share.features.precision = precision;
  MessageLoad& load = share.features.load;
  load.messages = corners ? with_corners - 1 : messages;
  load.far_bytes = bytes * halo(box, far, corners);
  load.near_bytes = bytes * halo(box, all, corners) - load.far_bytes;
  load.node_bytes = bytes * halo(node, of_node, corners);
  share.node = slab(stencil, box);
  share.node = repeated(share.node, on_node * points_of(box) / static_cast<double>(share.node.rows));
  share.node.name = stencil.name();
  return share;
}
}  // namespace sparsecast::cluster
