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

}  // namespace sparsecast::formats
