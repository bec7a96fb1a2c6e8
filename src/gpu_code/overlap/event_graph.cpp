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

CycleMean howard(const EventGraph& graph) {
  const auto out = arcs_by_source(graph);
  const auto alive = on_or_before_cycle(graph);
  const std::size_t n = graph.events.size();
  std::vector<std::int32_t> policy(n, -1);
  for (std::size_t v = 0; v < n; ++v)
    for (const auto a : out[v])
      if (alive[v] && alive[static_cast<std::size_t>(graph.arcs[static_cast<std::size_t>(a)].to)] &&
          (policy[v] < 0 ||
           graph.arcs[static_cast<std::size_t>(a)].time > graph.arcs[static_cast<std::size_t>(policy[v])].time))
        policy[v] = a;
  if (std::find(alive.begin(), alive.end(), 1) == alive.end())
    throw Error(ErrorCode::bad_input, "the event graph has no cycle, so no rate");
  std::vector<double> rate(n, minus_infinity), value(n, 0);
  const auto arc = [&](std::int32_t a) -> const EventArc& { return graph.arcs[static_cast<std::size_t>(a)]; };
  double scale = 1;
  for (const auto& a : graph.arcs) scale = std::max(scale, std::fabs(a.time));
  const double tolerance = 1e-12 * scale;

  for (int round = 0; round < 10000; ++round) {
    // Value determination: every event leads, by the policy, into one cycle.
    std::vector<int> state(n, 0);
    std::fill(rate.begin(), rate.end(), minus_infinity);
    for (std::size_t start = 0; start < n; ++start) {
      if (!alive[start] || state[start] != 0) continue;
      std::vector<std::size_t> walk;
      std::size_t v = start;
      while (state[v] == 0) {
        state[v] = 1;
        walk.push_back(v);
        v = static_cast<std::size_t>(arc(policy[v]).to);
      }
      if (state[v] == 1) {
        double time = 0, tokens = 0;
        auto u = v;
        do {
          time += arc(policy[u]).time;
          tokens += arc(policy[u]).tokens;
          u = static_cast<std::size_t>(arc(policy[u]).to);
        } while (u != v);
        if (tokens <= 0)
          throw Error(ErrorCode::bad_input,
                      fmt::format("the event graph has a cycle without tokens through '{}'", graph.events[v]));
        rate[v] = time / tokens;
        value[v] = 0;
        // Round the cycle against its direction.
        std::vector<std::size_t> cycle;
        for (u = static_cast<std::size_t>(arc(policy[v]).to); u != v; u = static_cast<std::size_t>(arc(policy[u]).to))
          cycle.push_back(u);
        for (auto c = cycle.rbegin(); c != cycle.rend(); ++c) {
          const auto& a = arc(policy[*c]);
          rate[*c] = rate[v];
          value[*c] = a.time - rate[v] * a.tokens + value[static_cast<std::size_t>(a.to)];
        }
      }
      for (auto w = walk.rbegin(); w != walk.rend(); ++w) {
        if (rate[*w] == minus_infinity) {
          const auto& a = arc(policy[*w]);
          rate[*w] = rate[static_cast<std::size_t>(a.to)];
          value[*w] = a.time - rate[*w] * a.tokens + value[static_cast<std::size_t>(a.to)];
        }
        state[*w] = 2;
      }
    }
    // Policy improvement: first the rate, then the value.
    bool improved = false;
    for (std::size_t v = 0; v < n; ++v)
      for (const auto a : out[v]) {
        const auto to = static_cast<std::size_t>(arc(a).to);
        if (alive[v] && alive[to] && rate[to] > rate[v] + tolerance) {
          policy[v] = a;
          rate[v] = rate[to];
          improved = true;
        }
      }
    if (!improved)
      for (std::size_t v = 0; v < n; ++v)
        for (const auto a : out[v]) {
          const auto to = static_cast<std::size_t>(arc(a).to);
          if (!alive[v] || !alive[to] || std::fabs(rate[to] - rate[v]) > tolerance) continue;
          const double better = arc(a).time - rate[v] * arc(a).tokens + value[to];
          if (better > value[v] + tolerance * 10) {
            policy[v] = a;
            value[v] = better;
            improved = true;
          }
        }
    if (!improved) break;
  }
  CycleMean result;
  const auto best = static_cast<std::size_t>(std::max_element(rate.begin(), rate.end()) - rate.begin());
  result.eigenvalue = rate[best];
  std::size_t v = best;
  for (std::size_t i = 0; i < n; ++i) v = static_cast<std::size_t>(arc(policy[v]).to);  // onto the cycle
  const auto first = v;
  do {
    result.arcs.push_back(policy[v]);
    v = static_cast<std::size_t>(arc(policy[v]).to);
  } while (v != first);
  return result;
}

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
