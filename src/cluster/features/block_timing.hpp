#pragma once
// Seconds of one local product on one core of this machine. The lower quartile of short batches: a rank's core runs
// nothing else, so what disturbs a batch here does not belong to the time that is injected into a simulation.

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "cluster/features/block_features.hpp"

namespace sparsecast::cluster {
struct BlockTiming {
  double batch_s = 0.0004;  ///< long against the clock, short against a scheduler's time slice
  int batches = 9;
  /// Before anything counts, as many products as a branch predictor may need to learn the lengths of all rows (an EPYC
  /// of family 26: 16 to 64, the last of them six times as fast as the first), but no longer than warm_up_s.
  int warm_ups = 128;
  double warm_up_s = 0.008;
};

/// Seconds of one call of `work`, repeated in batches after the warm-up.
double repeated_seconds(const std::function<void()>& work, const BlockTiming& timing = {});
/// x as every run begins with it; one entry at least.
Array<double> start_vector(std::int64_t columns);
/// Of y = A·x (or y += A·x); x and y may be longer than the block is wide and high. 0 where there is nothing to do.
double product_seconds(const LocalBlock& block, std::span<const double> x, std::span<double> y, bool add,
                       const BlockTiming& timing = {});
/// Of gathering so many entries spread over `rows` into a buffer.
double pack_seconds(std::int64_t rows, std::int64_t entries, const BlockTiming& timing = {});

/// A local product that was timed: what the core models are fitted to.
struct TimedBlock {
  LocalFormat format = LocalFormat::csr;
  BlockFeatures features;
  double seconds = 0;
  std::string matrix = {};  ///< that it is a part of; empty where a profile does not tell
};
}  // namespace sparsecast::cluster
