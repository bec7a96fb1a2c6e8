#include "cluster/simulate/shared_links.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sparsecast::cluster {
namespace {
// SimGrid's network/crosstraffic, on by default: what a message takes of the links that lead back, for
// acknowledgements.
constexpr double backward = 0.05;
// Bytes that count as none: far below a message, far above what rounding leaves of one.
constexpr double negligible = 1e-3;
}  // namespace

SharedLinks::SharedLinks(const NodeLinks& links, int nodes)
    : links_(links),
      place_(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes), none),
      left_(2 * static_cast<std::size_t>(nodes)),
      load_(left_.size()),
      nodes_(nodes) {}

void SharedLinks::begin(int id, int from, int to, double bytes) {
  std::size_t& place =
      place_[static_cast<std::size_t>(from) * static_cast<std::size_t>(nodes_) + static_cast<std::size_t>(to)];
  if (place == none) {
    place = pairs_.size();
    pairs_.emplace_back().from = from;
    pairs_.back().to = to;
  }
  Pair& pair = pairs_[place];
  if (from == to) pair.rate = links_.loopback_bandwidth / (1 + backward);
  pair.ends.emplace(pair.moved + bytes, id);
  stale_ = stale_ || from != to;
}

double SharedLinks::until_next_end() {
  if (stale_) share_out();
  double seconds = std::numeric_limits<double>::infinity();
  for (const Pair& pair : pairs_)
    if (!pair.ends.empty()) seconds = std::min(seconds, std::max(0.0, pair.ends.top().first - pair.moved) / pair.rate);
  return seconds;
}

std::vector<int> SharedLinks::pass(double seconds) {
  std::vector<int> ended;
  if (stale_) share_out();
  for (Pair& pair : pairs_) {
    if (pair.ends.empty()) continue;
    pair.moved += seconds * pair.rate;
    while (!pair.ends.empty() && pair.ends.top().first - pair.moved <= negligible) {
      ended.push_back(pair.ends.top().second);
      pair.ends.pop();
      stale_ = stale_ || pair.from != pair.to;
    }
    if (pair.ends.empty()) pair.moved = 0;
  }
  return ended;
}

void SharedLinks::share_out() {
  struct Share {
    Pair* pair;
    double messages;
    std::array<std::pair<std::size_t, double>, 4> uses;  ///< of adapters, a message's
  };
  std::vector<Share> open;
  std::ranges::fill(left_, links_.bandwidth);
  std::ranges::fill(load_, 0.0);
  for (Pair& pair : pairs_) {
    if (pair.ends.empty() || pair.from == pair.to) continue;
    const auto out = [](int node) { return 2 * static_cast<std::size_t>(node); };
    const auto in = [&](int node) { return out(node) + 1; };
    open.push_back({&pair,
                    static_cast<double>(pair.ends.size()),
                    {{{out(pair.from), 1}, {in(pair.to), 1}, {out(pair.to), backward}, {in(pair.from), backward}}}});
    for (const auto& [link, use] : open.back().uses) load_[link] += use * open.back().messages;
  }
  constexpr double tie = 1 + 1e-9;
  while (!open.empty()) {
    double least = std::numeric_limits<double>::infinity();
    for (const Share& share : open)
      for (const auto& [link, use] : share.uses) least = std::min(least, left_[link] / load_[link]);
    const auto busiest = [&](const Share& share) {
      return std::ranges::any_of(share.uses,
                                 [&](const auto& use) { return left_[use.first] / load_[use.first] <= least * tie; });
    };
    const auto full = std::stable_partition(open.begin(), open.end(), [&](const Share& s) { return !busiest(s); });
    for (auto share = full; share != open.end(); ++share) {
      share->pair->rate = least;
      for (const auto& [link, use] : share->uses) {
        left_[link] = std::max(0.0, left_[link] - use * share->messages * least);
        load_[link] -= use * share->messages;
      }
    }
    open.erase(full, open.end());
  }
  stale_ = false;
}
}  // namespace sparsecast::cluster
