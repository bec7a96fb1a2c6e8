#pragma once
// Which rows of a product's operand are read by other threads than the one that writes them. Such lines go from core to
// core in every iteration, which costs their writer more than the pass itself (formats::Stores).

#include <algorithm>
#include <cstdint>
#include <sparsecast/matrix.hpp>
#include <vector>

#include "formats/parts/split.hpp"

namespace sparsecast::solve {

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

}  // namespace sparsecast::solve
