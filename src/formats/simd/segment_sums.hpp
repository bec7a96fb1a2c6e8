#pragma once
// The inner loops of the COO kernel, in the versions of simd.hpp.

#include <cstdint>

#include "formats/simd/simd.hpp"

namespace sparsecast::formats {

template <class Value, class Index>
struct SegmentSums {
  /// Σ values[k]·x[columns[k]], all of one row.
  Value (*run)(const Value* values, const Index* columns, std::int64_t count, const Value* x);
  /// y[rows[k]] += values[k]·x[columns[k]]; rows ascend.
  void (*add)(const Index* rows, const Index* columns, const Value* values, std::int64_t count, const Value* x,
              Value* y);
};

template <class Value, class Index>
[[nodiscard]] SegmentSums<Value, Index> segment_sums(Simd simd = best_simd());

}  // namespace sparsecast::formats
