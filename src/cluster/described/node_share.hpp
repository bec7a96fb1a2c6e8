#pragma once
// What one node has of a matrix that is not made, and what its ranks send.

#include <sparsecast/structure.hpp>

#include "cluster/features/scheme_features.hpp"

namespace sparsecast::cluster {
/// The largest share, and the messages of the rank and the node that have most.
struct NodeShare {
  SchemeFeatures features;  ///< of l1dr, without ranks
  Structure node;           ///< of what the ranks of one node multiply
};

/// What of a share is worked out.
enum class ShareDetail {
  structure,  ///< all
  sizes       ///< of the structure rows and non-zeros alone
};

/// A structure of so many times as much of the same.
[[nodiscard]] Structure repeated(Structure s, double times);
}  // namespace sparsecast::cluster
