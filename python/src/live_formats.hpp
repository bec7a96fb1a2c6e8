#pragma once
// Products with SciPy's COO and BSR arrays where they lie, as csr has them by a plan of live arrays (lent_csr.hpp):
// what was made of them beforehand would have to learn of every write into them.

#include "arrays.hpp"

namespace sparsecast::python {

/// y = A·x of entries in order of rows, several to a place or not, dealt to threads by number: rows and columns in
/// int32 or int64, values and x of the same type. NotImplemented for other arrays and where the rows are not in order,
/// which is found on the way.
[[nodiscard]] nb::object multiply_coo(std::int64_t rows, nb::handle row, nb::handle column, nb::handle values,
                                      nb::handle x);

/// y = A·x of blocks (values[block][i][j]) in CSR by blocks, dealt by block rows. NotImplemented for other arrays.
[[nodiscard]] nb::object multiply_bsr(nb::handle row_pointers, nb::handle columns, nb::handle values, nb::handle x);

}  // namespace sparsecast::python
