#pragma once
// The matrix of a stencil on a grid, as large as no machine here could hold it: its grid is dealt to nodes and ranks in
// boxes, and what a box holds and sends follows from its edges. Only a part of one rank's box is made.

#include <cstdint>
#include <string>

#include "cluster/described/node_share.hpp"

namespace sparsecast::cluster {
/// As generate() makes them.
enum class StencilKind { poisson2d, poisson3d, stencil27 };

struct Stencil {
  StencilKind kind = StencilKind::poisson2d;
  std::int64_t size = 0;  ///< grid points along an edge

  /// "poisson3d:size=4000"; rows and entries of the whole matrix.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::int64_t rows() const;
  [[nodiscard]] std::int64_t nonzeros() const;
};
/// Error usage for another kind, and for a size that is not positive or whose entries 64 bits do not count.
Stencil stencil_of(const std::string& kind, std::int64_t size);

/// On so many processes, in boxes of least surface: the largest one, and the messages of one at a node's corner. Ranks
/// fill nodes in order: where they do not fill the last, the share is that of a full one.
NodeShare share_of(const Stencil& stencil, int processes, int ranks_per_node, Precision precision,
                   ShareDetail detail = ShareDetail::structure);
}  // namespace sparsecast::cluster
