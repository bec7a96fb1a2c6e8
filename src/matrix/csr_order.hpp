#pragma once
// Whether arrays are those of a canonical CSR matrix, at the speed of reading them: who lends a matrix for a few
// products waits for this and for little else.

#include <sparsecast/matrix.hpp>

namespace sparsecast::matrix {
/// Whether the row pointers ascend and every row's columns lie within the matrix and ascend, none twice. The row
/// pointers begin with 0 and end with the number of columns, as Matrix has checked.
template <class Offset, class Index>
[[nodiscard]] bool is_in_order(const CsrPattern<Offset, Index>& csr);
}  // namespace sparsecast::matrix
