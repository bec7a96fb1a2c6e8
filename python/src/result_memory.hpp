#pragma once
// Arrays for results, out of memory that is kept from one result to the next. Fresh memory costs a page fault every 4
// KB, and of a result of some hundred thousand entries those take as long as half the product. A loop that multiplies
// lets one result go for each that it gets.

#include "arrays.hpp"

namespace sparsecast::python {

/// A new array of one (vectors < 0) or two dimensions, its entries not set. The array owns its memory as any other of
/// NumPy's does; what is let go is kept up to a sum of 64 MB. Thread safety: with the interpreter's lock, where it has
/// one.
[[nodiscard]] nb::object new_result(std::int64_t rows, std::int64_t vectors, int type_number, bool by_columns = false);

}  // namespace sparsecast::python
