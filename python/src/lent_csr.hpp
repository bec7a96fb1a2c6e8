#pragma once
// SciPy's three arrays as a Matrix that borrows them.

#include <sparsecast/matrix.hpp>

#include "arrays.hpp"
#include "source_watch.hpp"

namespace sparsecast::python {

/// A matrix in the caller's arrays, which stay alive as long as it or a Matrix made from it. Thread safety: immutable;
/// the functions need the interpreter's lock, but for change().
class LentCsr {
 public:
  /// Rows + 1 row pointers and the columns in int32 or int64 (row pointers no narrower than columns), values in float
  /// or double, each a vector without gaps. Error usage for other arrays; bad_input where they are no canonical CSR.
  /// Values may be NaN or infinite.
  LentCsr(std::int64_t rows, std::int64_t cols, nb::object row_pointers, nb::object columns, nb::object values,
          std::string name, CsrCheck check = CsrCheck::everything);
  /// Arrays that are read at each product as they are then, in any order and checked by nobody, as SciPy multiplies
  /// them; change() sees none. `kept`: alive as above, else as long as the caller sees to it.
  [[nodiscard]] static LentCsr live(std::int64_t rows, std::int64_t cols, const nb::object& row_pointers,
                                    const nb::object& columns, const nb::object& values, bool kept);

  [[nodiscard]] const Matrix& matrix() const { return matrix_; }
  [[nodiscard]] bool is_single() const;
  /// The same pattern with other values.
  [[nodiscard]] LentCsr with_values(nb::object values) const;
  /// Whether entries of the arrays are others than when they were lent: all of them in a small matrix, some of them,
  /// spread over the arrays, in a large one.
  [[nodiscard]] Change change() const noexcept;
  /// Whether these arrays are the very memory that was lent, to its last entry.
  [[nodiscard]] bool is_of(nb::handle row_pointers, nb::handle columns, nb::handle values) const noexcept;

 private:
  LentCsr() = default;
  [[nodiscard]] std::uint64_t sample_of_pattern() const noexcept;
  [[nodiscard]] std::uint64_t sample_of_values() const noexcept;

  nb::object row_pointers_, columns_, values_;
  Matrix matrix_;
  std::uint64_t pattern_ = 0, entries_ = 0;  // the samples when they were lent
  bool live_ = false;
};

}  // namespace sparsecast::python
