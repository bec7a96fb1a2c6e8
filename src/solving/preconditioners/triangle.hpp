#pragma once
// Triangular solves. Rows of one level depend on rows of earlier levels alone (Anderson & Saad 1989). Where levels are
// wide, several threads share each; one thread, and all where levels are narrow, goes through the rows in the order of
// the matrix, in which they find their neighbours in the first cache.

#include <cstdint>
#include <sparsecast/matrix.hpp>
#include <vector>

namespace sparsecast::solving {
/// The sides of the diagonal.
enum class Side { lower, upper };

/// What a triangular solve consists of, as far as the pattern tells.
struct TriangleWork {
  double rows = 0;
  double entries = 0;  ///< off the diagonal
  double levels = 0;
  double chained = 0;  ///< rows that wait for one of the rows just before, in the order of the matrix
  /// Threads share each level; else one goes through the rows in order.
  bool shared = false;
};

/// Of the strict lower or upper triangle of the matrix and a diagonal, on so many threads.
[[nodiscard]] TriangleWork triangle_work(const Matrix& matrix, Side side, int threads);

/// Rows in the order in which they are solved.
struct Triangle {
  Array<std::int32_t> rows;          ///< row number, in order
  Array<std::int64_t> row_pointers;  ///< of the rows in order
  Array<std::int32_t> columns;
  Array<double> values;
  Array<double> inverse;       ///< of the diagonal, in order
  Array<std::int64_t> levels;  ///< first row of each and the end; empty where threads do not share them
  int threads = 1;

  /// z = triangle⁻¹·r; r and z may be the same.
  void solve(const double* r, double* z) const;
};

/// Of the entries of a factor (in the matrix's pattern) on one side of the diagonal; `inverse` is that of its diagonal.
[[nodiscard]] Triangle make_triangle(const Matrix& pattern, const Array<double>& factor, const Array<double>& inverse,
                                     Side side, int threads);
}  // namespace sparsecast::solving
