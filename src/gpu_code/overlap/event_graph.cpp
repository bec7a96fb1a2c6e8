#include "gpu_code/overlap/event_graph.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <sparsecast/error.hpp>

namespace sparsecast::gpu_code {
namespace {
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

std::vector<std::vector<std::int32_t>> arcs_by_source(const EventGraph& graph) {
  std::vector<std::vector<std::int32_t>> out(graph.events.size());
  for (std::size_t a = 0; a < graph.arcs.size(); ++a)
    out[static_cast<std::size_t>(graph.arcs[a].from)].push_back(static_cast<std::int32_t>(a));
  return out;
}

/// Events from which no cycle can be reached play no part.
std::vector<char> on_or_before_cycle(const EventGraph& graph) {
  std::vector<char> alive(graph.events.size(), 1);
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<char> has_way(graph.events.size(), 0);
    for (const auto& arc : graph.arcs)
      if (alive[static_cast<std::size_t>(arc.to)]) has_way[static_cast<std::size_t>(arc.from)] = 1;
    for (std::size_t v = 0; v < alive.size(); ++v)
      if (alive[v] && !has_way[v]) {
        alive[v] = 0;
        changed = true;
      }
  }
  return alive;
}

/// Howard's policy iteration. A policy chooses one outgoing arc of every event; following it leads into one cycle.
class PolicyIteration {
 public:
  explicit PolicyIteration(const EventGraph& graph)
      : graph_(graph),
        out_(arcs_by_source(graph)),
        alive_(on_or_before_cycle(graph)),
        policy_(graph.events.size(), -1),
        rate_(graph.events.size(), minus_infinity),
        value_(graph.events.size(), 0) {
    if (std::find(alive_.begin(), alive_.end(), 1) == alive_.end())
      throw Error(ErrorCode::bad_input, "the event graph has no cycle, so no rate");
    double scale = 1;
    for (const auto& a : graph.arcs) scale = std::max(scale, std::fabs(a.time));
    tolerance_ = 1e-12 * scale;
  }

  CycleMean run() {
    choose_longest_arcs();
    for (int round = 0; round < 10000; ++round) {
      determine_values();
      if (!improve_rates() && !improve_values()) break;
    }
    return critical_cycle();
  }

 private:
  [[nodiscard]] const EventArc& arc(std::int32_t a) const { return graph_.arcs[static_cast<std::size_t>(a)]; }
  [[nodiscard]] std::size_t target(std::int32_t a) const { return static_cast<std::size_t>(arc(a).to); }
  /// Where the policy leads from an event.
  [[nodiscard]] std::size_t next(std::size_t v) const { return target(policy_[v]); }

  void choose_longest_arcs() {
    for (std::size_t v = 0; v < policy_.size(); ++v)
      for (const auto a : out_[v])
        if (alive_[v] && alive_[target(a)] && (policy_[v] < 0 || arc(a).time > arc(policy_[v]).time)) policy_[v] = a;
  }

  /// The rate of every event is that of the cycle which the policy leads to, its value the time by which it lags.
  void determine_values() {
    enum class Mark : char { unseen, on_walk, done };
    std::vector<Mark> mark(policy_.size(), Mark::unseen);
    std::fill(rate_.begin(), rate_.end(), minus_infinity);
    for (std::size_t start = 0; start < policy_.size(); ++start) {
      if (!alive_[start] || mark[start] != Mark::unseen) continue;
      std::vector<std::size_t> walk;
      std::size_t v = start;
      for (; mark[v] == Mark::unseen; v = next(v)) {
        mark[v] = Mark::on_walk;
        walk.push_back(v);
      }
      if (mark[v] == Mark::on_walk) measure_cycle(v);
      for (auto w = walk.rbegin(); w != walk.rend(); ++w) {
        if (rate_[*w] == minus_infinity) follow(*w, rate_[next(*w)]);
        mark[*w] = Mark::done;
      }
    }
  }

  void measure_cycle(std::size_t v) {
    double time = 0, tokens = 0;
    auto u = v;
    do {
      time += arc(policy_[u]).time;
      tokens += arc(policy_[u]).tokens;
      u = next(u);
    } while (u != v);
    if (tokens <= 0)
      throw Error(ErrorCode::bad_input,
                  fmt::format("the event graph has a cycle without tokens through '{}'", graph_.events[v]));
    rate_[v] = time / tokens;
    value_[v] = 0;
    // Round the cycle against its direction.
    std::vector<std::size_t> cycle;
    for (u = next(v); u != v; u = next(u)) cycle.push_back(u);
    for (auto c = cycle.rbegin(); c != cycle.rend(); ++c) follow(*c, rate_[v]);
  }

  /// Rate and value of an event from those of the one that the policy leads to.
  void follow(std::size_t v, double rate) {
    const auto& a = arc(policy_[v]);
    rate_[v] = rate;
    value_[v] = a.time - rate * a.tokens + value_[next(v)];
  }

  bool improve_rates() {
    bool improved = false;
    for (std::size_t v = 0; v < policy_.size(); ++v)
      for (const auto a : out_[v]) {
        const auto to = target(a);
        if (!alive_[v] || !alive_[to] || !(rate_[to] > rate_[v] + tolerance_)) continue;
        policy_[v] = a;
        rate_[v] = rate_[to];
        improved = true;
      }
    return improved;
  }

  bool improve_values() {
    bool improved = false;
    for (std::size_t v = 0; v < policy_.size(); ++v)
      for (const auto a : out_[v]) {
        const auto to = target(a);
        if (!alive_[v] || !alive_[to] || std::fabs(rate_[to] - rate_[v]) > tolerance_) continue;
        const double better = arc(a).time - rate_[v] * arc(a).tokens + value_[to];
        if (!(better > value_[v] + tolerance_ * 10)) continue;
        policy_[v] = a;
        value_[v] = better;
        improved = true;
      }
    return improved;
  }

  [[nodiscard]] CycleMean critical_cycle() const {
    CycleMean result;
    const auto best = static_cast<std::size_t>(std::max_element(rate_.begin(), rate_.end()) - rate_.begin());
    result.eigenvalue = rate_[best];
    std::size_t v = best;
    for (std::size_t i = 0; i < policy_.size(); ++i) v = next(v);  // onto the cycle
    const auto first = v;
    do {
      result.arcs.push_back(policy_[v]);
      v = next(v);
    } while (v != first);
    return result;
  }

  const EventGraph& graph_;
  const std::vector<std::vector<std::int32_t>> out_;
  const std::vector<char> alive_;
  std::vector<std::int32_t> policy_;
  std::vector<double> rate_, value_;
  double tolerance_ = 0;
};
}  // namespace

std::int32_t EventGraph::event(const std::string& name) {
  const auto found = std::find(events.begin(), events.end(), name);
  if (found != events.end()) return static_cast<std::int32_t>(found - events.begin());
  events.push_back(name);
  return static_cast<std::int32_t>(events.size()) - 1;
}

void EventGraph::arc(const std::string& from, const std::string& to, double time, double tokens) {
  const auto source = event(from);
  arcs.push_back({source, event(to), time, tokens});
}

CycleMean howard(const EventGraph& graph) { return PolicyIteration(graph).run(); }

double karp(const EventGraph& graph) {
  for (const auto& a : graph.arcs)
    if (a.tokens != 1) throw Error(ErrorCode::usage, "Karp's algorithm needs one token on every arc");
  const std::size_t n = graph.events.size();
  // Longest walks of exactly k arcs from anywhere: a virtual source with arcs of 0 to every event.
  std::vector<std::vector<double>> walk(n + 1, std::vector<double>(n, minus_infinity));
  std::fill(walk[0].begin(), walk[0].end(), 0);
  for (std::size_t k = 1; k <= n; ++k)
    for (const auto& a : graph.arcs) {
      const double from = walk[k - 1][static_cast<std::size_t>(a.from)];
      if (from != minus_infinity)
        walk[k][static_cast<std::size_t>(a.to)] = std::max(walk[k][static_cast<std::size_t>(a.to)], from + a.time);
    }
  double best = minus_infinity;
  for (std::size_t v = 0; v < n; ++v) {
    if (walk[n][v] == minus_infinity) continue;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < n; ++k)
      if (walk[k][v] != minus_infinity) least = std::min(least, (walk[n][v] - walk[k][v]) / static_cast<double>(n - k));
    best = std::max(best, least);
  }
  if (best == minus_infinity) throw Error(ErrorCode::bad_input, "the event graph has no cycle, so no rate");
  return best;
}
}  // namespace sparsecast::gpu_code
