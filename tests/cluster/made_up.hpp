#pragma once
// What the tests of clusters share: small matrices, and a profile whose truth is known because it was made up.

#include <algorithm>
#include <cmath>
#include <sparsecast/generate.hpp>
#include <string>
#include <vector>

#include "cluster/cluster_profile.hpp"
#include "cluster/described/described_cluster.hpp"
#include "cluster/features/rank_parts.hpp"

namespace sparsecast::cluster {
inline Matrix grid_matrix(std::int64_t side) {
  MatrixSpec spec;
  spec.kind = "poisson2d";
  spec.parameters = {.size = static_cast<double>(side)};
  return generate(spec);
}

inline DescribedCluster described(const char* network) {
  return {described_profile(describe_device("intel-xeon-8480")), network_of(network), 0};
}

inline ClusterForecast one_second(int processes) {
  ClusterForecast f;
  f.processes = f.nodes = processes;
  f.seconds = 1;
  return f;
}

// | 1 . 2 |
// | . . . |
// | 3 4 . |   entries out of order, the 3 in two halves
inline const std::vector<LocalEntry> mtx3{{2, 1, 4}, {0, 2, 2}, {2, 0, 1}, {0, 0, 1}, {2, 0, 2}};

inline Matrix small_matrix(const std::string& kind, std::int64_t rows, double row_length,
                           const MatrixParameters& parameters) {
  MatrixSpec spec;
  spec.kind = kind;
  spec.rows = rows;
  spec.row_length = row_length;
  spec.parameters = parameters;
  spec.seed = 5;
  return generate(spec);
}

// Latency 1 µs, 1 GB/s, and log2(P) steps.
inline double message_truth(double bytes, int processes) { return (1e-6 + bytes * 1e-9) * (1 + std::log2(processes)); }

// A product costs 1 ns per non-zero and 2 ns per row; 2du adds its messages.
inline double block_truth(const BlockFeatures& f) { return 1e-9 * f.nonzeros + 2e-9 * f.rows; }

inline Matrix random_square(std::int64_t rows, double row_length, std::uint64_t seed) {
  MatrixSpec spec;
  spec.kind = "random";
  spec.rows = rows;
  spec.row_length = row_length;
  spec.seed = seed;
  return generate(spec);
}

inline ClusterProfile made_up_profile() {
  ClusterProfile p;
  p.name = "made-up";
  p.cores_per_node = 4;
  p.node.bandwidth = {{8, 1, {1e4, 1e6, 1e8}, {2e10, 2e10, 2e10}}};
  p.node.latency.bytes = {1e4, 1e8};
  p.node.latency.seconds = {1e-9, 1e-7};
  p.node.fma_s = 1e-10;
  for (const int processes : {1, 4, 16})
    for (const MessagePattern pattern :
         {MessagePattern::grid, MessagePattern::grid_reduce, MessagePattern::grid_bcast, MessagePattern::allgatherv,
          MessagePattern::bcast, MessagePattern::reduce, MessagePattern::ping_pong_near, MessagePattern::ping_pong_far})
      for (double bytes = 8; bytes <= 1 << 22; bytes *= 4)
        p.messages.push_back({pattern, processes, p.nodes(processes), bytes, 0, message_truth(bytes, processes)});
  for (const int processes : {1, 4})
    for (const std::int64_t rows : {400, 4000, 40000})
      for (const double length : {1.0, 4.0, 16.0}) {
        const Matrix matrix = random_square(rows, length, static_cast<std::uint64_t>(rows));
        const SchemeFeatures f = scheme_features(matrix, Scheme::two_d_uniform, place(matrix, processes, 1, false),
                                                 p.caches, p.cores_per_node);
        double core = 0;
        for (const RankFeatures& rank : f.ranks) {
          p.blocks.push_back({LocalFormat::csr, rank.own, block_truth(rank.own)});
          core = std::max(core, block_truth(rank.own));
        }
        const double side = std::ceil(static_cast<double>(rows) / grid_side(processes));
        p.runs.push_back({"random", true, LocalFormat::csr, p.nodes(processes),
                          core + message_truth(8 * side, processes), core, f.thinned(16)});
      }
  return p;
}

inline SchemeFeatures target_features(const ClusterProfile& p, int processes) {
  const Matrix matrix = random_square(10000, 6, 77);
  return scheme_features(matrix, Scheme::two_d_uniform, place(matrix, processes, 1, false), p.caches, p.cores_per_node);
}

inline double target_truth(const SchemeFeatures& f) {
  double core = 0;
  for (const RankFeatures& rank : f.ranks) core = std::max(core, block_truth(rank.own));
  return core + message_truth(8 * 10000.0 / grid_side(f.processes), f.processes);
}
}  // namespace sparsecast::cluster
