#pragma once
// The matrix of a stencil on a grid, as large as no machine here could hold it: its grid is dealt to nodes and ranks in
// boxes, and what a box holds and sends follows from its edges. Only a part of one rank's box is made.

#include <algorithm>
#include <sparsecast/profile.hpp>

#include "cluster/models/forecast.hpp"

namespace sparsecast::cluster {
struct Stencil {
  std::string kind;       ///< poisson2d, poisson3d or stencil27, as generate() makes them
  std::int64_t size = 0;  ///< grid points along an edge

  /// "poisson3d:size=4000"; rows and entries of the whole matrix.
  [[nodiscard]] std::string name() const { return kind + ":size=" + std::to_string(size); }
  [[nodiscard]] std::int64_t rows() const;
  [[nodiscard]] std::int64_t nonzeros() const;
};
/// Error usage for another kind, and for a size that is not positive or whose entries 64 bits do not count.
Stencil stencil_of(const std::string& kind, std::int64_t size);

/// On so many processes, in boxes of least surface: the largest one, and the messages of one at a node's corner.
struct StencilShare {
  SchemeFeatures features;  ///< of l1dr, without ranks
  Structure node;           ///< of what the ranks of one node multiply
};
StencilShare share_of(const Stencil& stencil, int processes, int ranks_per_node, Precision precision);

// A network between nodes, known from its description alone: profiles/networks/<name>.json, or a user's own file
// (docs/schemas/network.schema.json).

struct Network {
  std::string name;      ///< as users type it: "hdr200"
  double bandwidth = 0;  ///< bytes/s of data in each direction of one adapter
  int rails = 1;         ///< adapters of a node
  double latency_s = 0;  ///< of a small message between two processes on different nodes
  double message_s = 0;  ///< what a core spends on one message
  std::string source;    ///< documents of the numbers

  [[nodiscard]] double node_bandwidth() const { return bandwidth * rails; }
};

/// Networks that ship with the product.
std::vector<std::string> described_networks();

/// A description's text. Error bad_input with the place where it is no JSON, or naming what it lacks or holds beyond
/// all measure.
Network network_from_text(std::string_view text, const std::string& file);

/// One of them by its name, or the description in a file (a name that ends in .json). Error usage for an unknown name,
/// with all names; else as network_from_text().
Network network_of(const std::string& name_or_file);

/// Within a node: shared memory. Assumed, as in profiles/platforms/.
struct NearMessages {
  double latency_s = 3e-7;
  double bandwidth = 1e10;       ///< bytes/s that one core copies
  double node_bandwidth = 1e11;  ///< bytes/s of the node's memory
};

struct MessageSeconds {
  double latency_s = 0;    ///< steps and messages, whatever their size
  double bandwidth_s = 0;  ///< bytes
  [[nodiscard]] double seconds() const { return latency_s + bandwidth_s; }
};

/// Of one iteration. Ranks fill nodes in order, `ranks_per_node` on each.
MessageSeconds message_seconds(const SchemeFeatures& features, const Network& network, const NearMessages& near,
                               int ranks_per_node);

struct DescribedCluster {
  Profile node;  ///< measured, or a description (described_profile())
  Network network;
  int ranks_per_node = 0;  ///< 0: as many as the cores have room for
  int threads = 1;         ///< of each rank

  [[nodiscard]] int ranks() const {
    return ranks_per_node > 0 ? ranks_per_node : std::max(1, node.properties.compute_units / threads);
  }
  [[nodiscard]] std::string name() const { return node.name + " over " + network.name; }
};

/// The name under which these forecasts stand beside those of cluster_models().
inline constexpr const char* described_cluster_model = "described";

/// As predict_cluster(), of the model `described`; options.model is not looked at. Every forecast is of the tier "data
/// sheet", whatever is known of the node: nothing was measured of the network. Its interval is the node's, and a factor
/// of two either way of the messages, which is assumed. Error usage for a node that is no processor.
Prediction predict_described(const Matrix& matrix, const DescribedCluster& cluster, const PredictOptions& options);
/// The same of a stencil's matrix, which is not made, in l1dr; usage also where that is not among options.schemes.
Prediction predict_described(const Stencil& stencil, const DescribedCluster& cluster, const PredictOptions& options);
}  // namespace sparsecast::cluster
