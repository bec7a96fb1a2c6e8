#pragma once
// What it costs that threads hand vectors to each other: a pass writes the operand of the next product on one core, and
// the others read it. How much depends on whether two cores have a cache in common, which a virtual machine may change
// within seconds, so it is timed where and when it is needed rather than kept in a profile.

#include <sparsecast/matrix.hpp>

#include "formats/parts/split.hpp"
#include "formats/simd/vector_loops.hpp"

namespace sparsecast::solving {
// Which rows of a product's operand are read by other threads than the one that writes them. Such lines go from core to
// core in every iteration, which costs their writer more than the pass itself (formats::Stores).

/// The first row that part `part` of a pass over vectors goes through. Multiples of eight rows: no two threads write
/// one line, and vectors are whole registers.
[[nodiscard]] constexpr std::int64_t pass_begin(std::int64_t rows, int part, int parts) noexcept {
  return part == parts ? rows : std::min(rows, formats::part_begin((rows + 7) / 8, part, parts) * 8);
}

/// A value. Empty for one thread.
class SharedRows {
 public:
  SharedRows() = default;
  /// y = A·x for threads that share the rows of A by non-zeros and those of x evenly.
  SharedRows(const Matrix& matrix, int threads);

  [[nodiscard]] bool empty() const { return stretches_.empty(); }
  /// Whether most lines of the stretch that row `row` lies in are read by several threads.
  [[nodiscard]] bool at(std::int64_t row) const { return stretches_[static_cast<std::size_t>(row / stretch)] != 0; }
  /// One past the last row on from `row` that is shared, or not, as `row` is.
  [[nodiscard]] std::int64_t end_of_stretch(std::int64_t row) const;
  /// Lines of 64 bytes that a thread reads and another has written: of the thread that has most.
  [[nodiscard]] double lines() const { return lines_; }

 private:
  static constexpr std::int64_t line = 8, stretch = 64 * line;

  std::vector<char> stretches_;
  double lines_ = 0;
};

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
}  // namespace sparsecast::solving
