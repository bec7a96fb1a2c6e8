#pragma once
// y = A·x on ELL arrays, rows dealt to `parts` threads (the ELL kernel and the regular part of HYB).

#include <span>

#include "formats/ell.hpp"

namespace sparsecast::formats {

template <class Value, class Index>
void multiply_ell(const Ell<Value, Index>& ell, int parts, std::span<const Value> x, std::span<Value> y);

}  // namespace sparsecast::formats
