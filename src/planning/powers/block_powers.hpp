#pragma once
// Powers by blocks of rows: the blocks' products in the order of wavefront(), on several threads that wait for each
// other's blocks where they need them and nowhere else.

#include <memory>
#include <sparsecast/plan.hpp>

#include "planning/powers/recurrence.hpp"

namespace sparsecast::planning {
/// What carries out powers that pay. Immutable: concurrent calls are safe.
template <class Value>
class Powers {
 public:
  virtual ~Powers() = default;
  /// At most as many powers as were planned.
  virtual void run(const Recurrence<Value>& recurrence, const RecurrenceVectors<Value>& vectors) const = 0;
  [[nodiscard]] virtual std::int64_t bytes() const = 0;
};

/// Of a square matrix, as the strategy says: its order, kernel, block_rows and depth. Keeps the matrix alive where its
/// blocks read it.
template <class Value>
[[nodiscard]] std::unique_ptr<Powers<Value>> block_powers(const Matrix& matrix, const PowersStrategy& strategy,
                                                          int threads);
}  // namespace sparsecast::planning
