#pragma once
// The network of a simulated cluster as a fluid: messages between the same two nodes share the same links and so move
// at the same rate at all times. Rates are max-min fair (what is on the busiest link gets an equal share of it, and so
// on), as SimGrid has them, but there are as many unknowns as pairs of nodes instead of as many as messages under way.

#include <cstddef>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "cluster/launch/node_links.hpp"

namespace sparsecast::cluster {
class SharedLinks {
 public:
  SharedLinks(const NodeLinks& links, int nodes);
  /// From now on message `id` moves so many bytes from one node to another. Latency is the caller's.
  void begin(int id, int from, int to, double bytes);
  /// Seconds from now to the next end of a message; infinity where none is under way.
  [[nodiscard]] double until_next_end();
  /// Lets so many seconds pass, at most until_next_end(), and returns the messages that ended.
  std::vector<int> pass(double seconds);

 private:
  // The messages between two nodes that are under way: each has moved as much as `moved` has grown since it began.
  struct Pair {
    int from = 0, to = 0;
    double moved = 0, rate = 0;
    std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>> ends;
  };
  NodeLinks links_;
  std::vector<Pair> pairs_;
  std::vector<std::size_t> place_;   ///< of a pair of nodes in pairs_; none: not seen yet
  std::vector<double> left_, load_;  ///< of every adapter, out and in, while rates are shared out
  int nodes_;
  bool stale_ = false;
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  void share_out();
};
}  // namespace sparsecast::cluster
