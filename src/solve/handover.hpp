#pragma once
// What it costs that threads hand vectors to each other: a pass writes the operand of the next product on one core, and
// the others read it. How much depends on whether two cores have a cache in common, which a virtual machine may change
// within seconds, so it is timed where and when it is needed rather than kept in a profile.

#include <sparsecast/matrix.hpp>

#include "formats/simd/vector_loops.hpp"

namespace sparsecast::solve {

/// Seconds for a line of 64 bytes that one thread writes and another reads, for either kind of store.
struct LineCost {
  /// On an AMD EPYC (family 25) the quotient is 0.7 where cores have a cache in common, and solves are 3 to 25 % slower
  /// around it; it is 0.2 where they have none, and solves are up to 45 % faster. Chosen looking at these.
  static constexpr double around_pays = 0.4;
  double kept_s = 0, around_s = 0;

  /// Around the caches only where that is clearly cheaper: what is kept is near when its writer reads it again.
  [[nodiscard]] formats::Stores stores() const {
    return around_s < around_pays * kept_s ? formats::Stores::around : formats::Stores::kept;
  }
  [[nodiscard]] double best_s() const { return stores() == formats::Stores::around ? around_s : kept_s; }
};

/// Timed in about a millisecond on the calling thread's team; zeros for one thread and for more threads than
/// processors, whose waits would be all that is timed.
[[nodiscard]] LineCost line_cost(int threads);

/// What the operands of products add to an iteration. A value; zeros add nothing.
struct Handover {
  double lines = 0;   ///< that the busiest thread reads and others wrote
  double line_s = 0;  ///< of each
};

/// Of y = A·x with x from a pass over vectors, on threads of this machine that are bound to cores (BoundTeam)
/// meanwhile.
[[nodiscard]] Handover measured_handover(const Matrix& matrix, int threads);

}  // namespace sparsecast::solve
