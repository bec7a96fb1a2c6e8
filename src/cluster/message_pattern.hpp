#pragma once
// The patterns of messages that are timed on a cluster: those that the three schemes use, and what they are made of.

#include <array>
#include <string_view>
#include <utility>

#include "fields/fields.hpp"

namespace sparsecast::cluster {
enum class MessagePattern {
  ping_pong_near,  ///< to the next rank and back: half of it
  ping_pong_far,   ///< to the last rank and back: half of it
  halo,            ///< with the nearest ranks on both sides, all at once
  bcast,
  reduce,
  allgatherv,
  grid_reduce,  ///< 2du: along all rows of the grid at once
  grid_bcast,   ///< 2du: down its columns
  grid          ///< 2du: both, one after the other
};

/// Error failed for a name that no pattern has.
[[nodiscard]] MessagePattern message_pattern(std::string_view name);
}  // namespace sparsecast::cluster

namespace sparsecast {
template <>
struct Words<cluster::MessagePattern> {
  using P = cluster::MessagePattern;
  static constexpr std::array table{
      std::pair{P::ping_pong_near, std::string_view("ping_pong_near")},
      std::pair{P::ping_pong_far, std::string_view("ping_pong_far")},
      std::pair{P::halo, std::string_view("halo")},
      std::pair{P::bcast, std::string_view("bcast")},
      std::pair{P::reduce, std::string_view("reduce")},
      std::pair{P::allgatherv, std::string_view("allgatherv")},
      std::pair{P::grid_reduce, std::string_view("grid_reduce")},
      std::pair{P::grid_bcast, std::string_view("grid_bcast")},
      std::pair{P::grid, std::string_view("grid")},
  };
};
}  // namespace sparsecast
