#pragma once
// Timed event graphs and their rate in max-plus algebra: arcs carry a time and tokens, the period of the steady state
// is the eigenvalue λ = max over cycles of (time of the cycle / tokens on it). Howard's policy iteration finds it with
// the critical cycle (Cochet-Terrasson, Cohen, Gaubert, Mc Gettrick, Quadrat 1998); Karp's algorithm checks it.

#include <cstdint>
#include <string>
#include <vector>

namespace sparsecast::gpu_code {
struct EventArc {
  std::int32_t from = 0, to = 0;
  double time = 0;
  double tokens = 1;  ///< 0: within the same firing
};

struct EventGraph {
  std::vector<std::string> events;
  std::vector<EventArc> arcs;
  std::int32_t event(const std::string& name);  ///< appended where new
  void arc(const std::string& from, const std::string& to, double time, double tokens);
};

struct CycleMean {
  double eigenvalue = 0;
  std::vector<std::int32_t> arcs;  ///< the critical cycle, in order
};

/// Howard's algorithm. Error bad_input where there is no cycle, or one without tokens.
[[nodiscard]] CycleMean howard(const EventGraph& graph);
/// Karp's algorithm; only for graphs in which every arc has one token (others: Error usage).
[[nodiscard]] double karp(const EventGraph& graph);
}  // namespace sparsecast::gpu_code
