#pragma once
// TimedBlock: a rank's local product and its time, as cluster profiles keep them.

#include <string>

#include "cluster/features/block_features.hpp"

namespace sparsecast::cluster {

/// A local product that was timed: what the core models are fitted to.
struct TimedBlock {
  LocalFormat format = LocalFormat::csr;
  BlockFeatures features;
  double seconds = 0;
  std::string matrix = {};  ///< that it is a part of; empty where a profile does not tell
};

}  // namespace sparsecast::cluster
