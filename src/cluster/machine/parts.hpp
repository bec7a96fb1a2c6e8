#pragma once
// What whole machines are made of: processors, accelerators and networks by the words that lists of the fastest
// computers use, with numbers of data sheets (profiles/systems/parts.tsv), and how such a description is read.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::cluster {
enum class PartKind { processor, accelerator, network, cores, unknown };

/// A row of the table: a part, the cores of a processor's model, or words of accelerators that are not in it.
/// `patterns` are words that follow each other in a description: # is a digit, ? any character, * the rest of a word.
struct Part {
  PartKind kind = PartKind::processor;
  std::string name, family;
  std::vector<std::vector<std::string>> patterns;
  double cores = 0;         ///< of a socket; multiprocessors as lists count them; of a network: its latency in µs
  double bandwidth = 0;     ///< bytes/s of memory; of a network: of a node
  std::vector<int> counts;  ///< in a node, the likeliest first
  double lanes = 1;         ///< of a multiprocessor
  int beside_socket = 0;    ///< accelerators that share a package with one socket, or 0
};

/// All rows, in the order in which they are tried.
const std::vector<Part>& parts();

/// Of a description and a number of cores.
struct MachineParts {
  std::string name;    ///< in front of the dash
  std::string reason;  ///< why the rest is not known; empty: it is
  const Part* processor = nullptr;
  const Part* accelerator = nullptr;  ///< nullptr: none is told
  const Part* network = nullptr;      ///< nullptr: none was found
  double socket_cores = 0;
  int sockets = 0, accelerators = 0;  ///< of a node
  bool whole = true;                  ///< the cores are a multiple of a node's
  double nodes = 0;

  /// Whose memory decides.
  [[nodiscard]] const Part& decider() const { return accelerator != nullptr ? *accelerator : *processor; }
  [[nodiscard]] double deciders() const { return nodes * (accelerator != nullptr ? accelerators : sockets); }
};
MachineParts machine_parts(std::string_view computer, std::int64_t cores);

/// Letters and digits of a name, in lower case: what stays when a list writes it anew.
std::string plain_name(std::string_view name);
}  // namespace sparsecast::cluster
