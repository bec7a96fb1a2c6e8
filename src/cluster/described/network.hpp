#pragma once
// A network between nodes, known from its description alone: profiles/networks/<name>.json, or a user's own file
// (docs/schemas/network.schema.json).

#include <map>
#include <string>
#include <vector>

namespace sparsecast::cluster {

struct Network {
  std::string name;    ///< as users type it: "hdr200"
  std::string model;   ///< "HDR InfiniBand"
  double bandwidth;    ///< bytes/s of data in each direction of one adapter
  int rails = 1;       ///< adapters of a node
  double latency_s;    ///< of a small message between two processes on different nodes
  double message_s;    ///< what a core spends on one message
  std::string source;  ///< documents of the numbers

  [[nodiscard]] double node_bandwidth() const { return bandwidth * rails; }
};

/// Networks that ship with the product.
std::vector<std::string> described_networks();

/// One of them by its name, or the description in a file (a name that ends in .json). Error usage for an unknown name,
/// with all names; bad_input for a file that lacks a number or holds one beyond all measure, naming it.
Network network_of(const std::string& name_or_file);

}  // namespace sparsecast::cluster
