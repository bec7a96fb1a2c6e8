// The eigenvalue of event graphs: Howard's algorithm against Karp's and against the definition.
#include "gpu_code/overlap/event_graph.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <sparsecast/error.hpp>

namespace sparsecast::gpu_code {
namespace {

EventGraph random_graph(std::mt19937& random, int events, bool one_token) {
  EventGraph g;
  for (int v = 0; v < events; ++v) g.event(std::to_string(v));
  for (int v = 0; v < events; ++v) g.arcs.push_back({v, (v + 1) % events, static_cast<double>(random() % 100), 1});
  for (int k = 0; k < 2 * events; ++k)
    g.arcs.push_back({static_cast<std::int32_t>(random() % static_cast<unsigned>(events)),
                      static_cast<std::int32_t>(random() % static_cast<unsigned>(events)),
                      static_cast<double>(random() % 100), one_token ? 1.0 : static_cast<double>(1 + random() % 4)});
  return g;
}

/// All simple cycles, by walking from every event to itself through larger ones.
double brute_force(const EventGraph& g) {
  double best = -1;
  const auto n = static_cast<std::int32_t>(g.events.size());
  std::vector<char> used(static_cast<std::size_t>(n), 0);
  for (std::int32_t start = 0; start < n; ++start) {
    const std::function<void(std::int32_t, double, double)> walk = [&](std::int32_t v, double time, double tokens) {
      for (const auto& a : g.arcs) {
        if (a.from != v || a.to < start) continue;
        if (a.to == start) {
          best = std::max(best, (time + a.time) / (tokens + a.tokens));
        } else if (!used[static_cast<std::size_t>(a.to)]) {
          used[static_cast<std::size_t>(a.to)] = 1;
          walk(a.to, time + a.time, tokens + a.tokens);
          used[static_cast<std::size_t>(a.to)] = 0;
        }
      }
    };
    walk(start, 0, 0);
  }
  return best;
}

TEST(EventGraph, HowardFindsTheMaximumCycleMean) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const auto g = random_graph(random, 2 + static_cast<int>(random() % 6), false);
    EXPECT_NEAR(howard(g).eigenvalue, brute_force(g), 1e-9);
  }
}

TEST(EventGraph, HowardAgreesWithKarp) {
  std::mt19937 random(8);
  for (int i = 0; i < 100; ++i) {
    const auto g = random_graph(random, 2 + static_cast<int>(random() % 40), true);
    EXPECT_NEAR(howard(g).eigenvalue, karp(g), 1e-9);
  }
}

TEST(EventGraph, CriticalCycleHasTheEigenvalueAsItsMean) {
  std::mt19937 random(9);
  for (int i = 0; i < 100; ++i) {
    const auto g = random_graph(random, 2 + static_cast<int>(random() % 20), false);
    const auto result = howard(g);
    double time = 0, tokens = 0;
    for (std::size_t k = 0; k < result.arcs.size(); ++k) {
      const auto &a = g.arcs[static_cast<std::size_t>(result.arcs[k])],
                 &b = g.arcs[static_cast<std::size_t>(result.arcs[(k + 1) % result.arcs.size()])];
      EXPECT_EQ(a.to, b.from);
      time += a.time;
      tokens += a.tokens;
    }
    EXPECT_NEAR(time / tokens, result.eigenvalue, 1e-9);
  }
}

TEST(EventGraph, RateOfTwoResourcesIsThatOfTheSlower) {
  EventGraph g;
  g.arc("warp", "warp", 400, 8);  // a chain of 400 cycles, 8 warps
  g.arc("pipe", "pipe", 64, 1);   // 64 cycles of a pipe per warp
  g.arc("warp", "pipe", 0, 0);
  g.arc("pipe", "warp", 0, 8);
  EXPECT_DOUBLE_EQ(howard(g).eigenvalue, 64);
  g.arcs[0].tokens = 4;
  EXPECT_DOUBLE_EQ(howard(g).eigenvalue, 100);
}

TEST(EventGraph, RefusesCyclesWithoutTokensAndGraphsWithoutCycles) {
  EventGraph none;
  none.arc("a", "b", 1, 1);
  EXPECT_THROW((void)howard(none), Error);
  EventGraph stuck;
  stuck.arc("a", "b", 1, 0);
  stuck.arc("b", "a", 1, 0);
  EXPECT_THROW((void)howard(stuck), Error);
}

}  // namespace
}  // namespace sparsecast::gpu_code
