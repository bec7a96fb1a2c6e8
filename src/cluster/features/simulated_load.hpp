#pragma once
// What one rank does in a simulated iteration: the measured seconds of its local products and its messages. The command
// writes one line per rank into loads-K.txt; every rank reads its own.

#include <string>
#include <string_view>

#include "cluster/features/rank_parts.hpp"

namespace sparsecast::cluster {
/// What one rank does in a simulated iteration: the measured seconds of its local products and its messages. The
/// command writes one line per rank into loads-K.txt; every rank reads its own.
struct SimulatedLoad {
  std::int64_t rows = 0;  ///< rows of this rank; 2du: of a piece (Grid)
  double pack_s = 0, own_s = 0, remote_s = 0;
  std::vector<Message> receives, sends;  ///< l1dr only
};

std::string to_line(const SimulatedLoad& load);
/// Error bad_input for anything else.
SimulatedLoad parse_load(std::string_view line);
}  // namespace sparsecast::cluster
