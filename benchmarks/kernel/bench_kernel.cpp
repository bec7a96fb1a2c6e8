// bench-kernel: how long the paper's first two models take (the third adds two terms to the second) on a random graph
// without loops. Goal: a million arcs within a second. Usage: bench-kernel [ARCS]   (default: 1000000)

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>

#include "gpu_code/graph/kernel_graph.hpp"
#include "gpu_code/graph/paper_models.hpp"

int main(int argc, char** argv) {
  using namespace sparsecast::gpu_code;
  const std::int64_t arcs = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const auto nodes = static_cast<std::size_t>(std::max<std::int64_t>(arcs / 4, 2));
  KernelGraph graph;
  std::mt19937_64 random(1);
  const auto time = [&] { return GraphTime{-1, 1e-9 * static_cast<double>(random() % 1000 + 1)}; };
  for (std::size_t i = 0; i < nodes; ++i) {
    KernelGraph::Node node;
    node.time = time();
    graph.nodes.push_back(std::move(node));
  }
  graph.nodes.front().kind = KernelGraph::NodeKind::input;
  graph.nodes.back().kind = KernelGraph::NodeKind::output;
  // Every node has its predecessor, the other arcs come from up to a thousand nodes back.
  for (std::int64_t a = 0; a < arcs; ++a) {
    const auto to = static_cast<std::size_t>(a) % (nodes - 1) + 1;
    const auto back = a < static_cast<std::int64_t>(nodes) ? 1 : random() % std::min<std::size_t>(to, 1000) + 1;
    graph.arcs.push_back({static_cast<std::int32_t>(to - back), static_cast<std::int32_t>(to), time(), Access::none});
  }
  graph.instances = 1000;
  graph.executors = 64;
  for (const auto model : {PaperModel::naive, PaperModel::operations}) {
    const auto begin = std::chrono::steady_clock::now();
    const auto result = estimate(graph, model);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    fmt::print("{:12} {} arcs, {:.6f} s for the kernel: {:.3f} s\n", to_string(model), arcs, result.seconds,
               taken.count());
  }
}
