#pragma once
// A network between nodes, known from its description alone: profiles/networks/<name>.json, or a user's own file
// (docs/schemas/network.schema.json).

#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::cluster {
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
}  // namespace sparsecast::cluster
