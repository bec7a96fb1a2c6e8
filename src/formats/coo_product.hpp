#pragma once
// y = A·x or y += A·x on COO arrays, non-zeros dealt evenly to `parts` threads (the COO kernel and HYB's overflow).

#include <span>

#include "formats/coo.hpp"

namespace sparsecast::formats {

/// y = A·x; rows without non-zeros are set to 0.
template <class Value, class Index>
void multiply_coo(const Coo<Value, Index>& coo, int parts, std::span<const Value> x, std::span<Value> y);
/// y += A·x.
template <class Value, class Index>
void add_coo(const Coo<Value, Index>& coo, int parts, std::span<const Value> x, std::span<Value> y);

/// y += alpha·(non-zeros of that part)ᵀ·x on the calling thread.
template <class Value, class Index>
void add_transposed_coo(const Coo<Value, Index>& coo, int part, int parts, Value alpha, const Value* x, Value* y);
/// The values of each row from its `skip`-th non-zero on, of a matrix with the same pattern.
template <class Value, class Index>
void update_coo(Coo<Value, Index>& coo, const Matrix& matrix, std::int64_t skip, int parts);

}  // namespace sparsecast::formats
