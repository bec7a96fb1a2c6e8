#pragma once
// Blocks of a launch that do not do the same: some are followed beside the one in the middle. Where they are alike,
// that one stands for all; else kinds of blocks are told apart, and the launch takes the mean of their times by their
// shares, never less than its longest block alone.

#include <functional>
#include <string>
#include <vector>

#include "gpu_code/overlap/overlap_model.hpp"

namespace sparsecast::gpu_code {
/// What a block does, in warp instructions, active lanes of them and sectors of memory.
struct BlockDuty {
  Dim3 block{};
  double instructions = 0, lanes = 0, sectors = 0;
  bool drawn = false;  ///< at random, so that it stands for others; else it stands for itself
};

struct FollowedBlocks {
  std::vector<BlockDuty> duties;  ///< the first is that of the base
  std::vector<std::string> lost;  ///< reasons of blocks that could not be followed
  bool all = false;               ///< every block of the launch was
  bool alike = true;              ///< as far as the mean counts: the base, times the mean of work, stands for all
};

/// Follows the first, the last, a neighbour and some drawn by a fixed seed; many more where those differ.
[[nodiscard]] FollowedBlocks follow_blocks(const Code& code, const Launch& launch, const Dim3& base,
                                           const BlockTrace& block, double mean_work);

/// How a launch of blocks that are all like one of them is forecast, and that one alone on its multiprocessor.
struct BlockForecasts {
  std::function<Overlap(const Dim3&)> launch;
  std::function<double(const Dim3&)> alone_s;  ///< without the start of the launch
};

/// The launch of blocks that differ; `middle` is the forecast by the base.
[[nodiscard]] Overlap mixed(const FollowedBlocks& followed, const Overlap& middle, const BlockForecasts& forecasts,
                            const Launch& launch);
}  // namespace sparsecast::gpu_code
