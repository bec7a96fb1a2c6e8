#pragma once
// The inner loop of DIA: eight neighbouring rows in the lanes of a vector read eight neighbouring entries of x on every
// diagonal. In the versions of simd.hpp.

#include <cstdint>

#include "formats/simd/simd.hpp"

namespace sparsecast::formats {
/// Of slices in succession: y[i] = Σ over d of values[d·8 + i]·x[i + diagonals[d]] for the 8 rows i of each, where y
/// and x begin at the first row of the first one. Padding (parts/sizes.hpp) adds nothing.
template <class Value>
struct DiagonalSums {
  void (*slices)(const Value* values, const std::int64_t* diagonals, std::int64_t count, std::int64_t slices,
                 const Value* x, Value* y);
};

template <class Value>
[[nodiscard]] DiagonalSums<Value> diagonal_sums(Simd simd = best_simd());

/// y[i + diagonals[d]] += values[d·8 + i]·x[i] for the 8 rows i of each slice, where x and y begin at the first row of
/// the first one. x is finite: what is padding adds 0 then.
template <class Value>
using DiagonalScatter = void (*)(const Value* values, const std::int64_t* diagonals, std::int64_t count,
                                 std::int64_t slices, const Value* x, Value* y);
template <class Value>
[[nodiscard]] DiagonalScatter<Value> diagonal_scatter(Simd simd = best_simd());
/// The same of one slice, of its first `rows` rows alone and of any x.
template <class Value>
void scatter_slice_carefully(const Value* values, const std::int64_t* diagonals, std::int64_t count, std::int64_t rows,
                             const Value* x, Value* y);

/// The same of one slice, of its first `rows` rows alone and of any x: what is padding is not read.
template <class Value>
void sum_slice_carefully(const Value* values, const std::int64_t* diagonals, std::int64_t count, std::int64_t rows,
                         const Value* x, Value* y);
}  // namespace sparsecast::formats
