#pragma once
// The inner loops of the formats stored column by column (ELL, SELL, JAD): neighbouring rows in neighbouring lanes of a
// vector, in the versions of simd.hpp.

#include <cstdint>

#include "formats/simd.hpp"

namespace sparsecast {

template <class Value, class Index>
struct LaneSums {
  /// y[i] = Σ over k < width of values[k·stride + i]·x[columns[k·stride + i]] for 0 ≤ i < lanes; padding is skipped.
  void (*block)(const Value* values, const Index* columns, std::int64_t stride, std::int64_t width, std::int64_t lanes,
                const Value* x, Value* y);
  /// sums[i] += values[i]·x[columns[i]] for 0 ≤ i < lanes; padding is skipped.
  void (*add_column)(const Value* values, const Index* columns, std::int64_t lanes, const Value* x, Value* sums);
};

template <class Value, class Index>
[[nodiscard]] LaneSums<Value, Index> lane_sums(Simd simd = best_simd());

}  // namespace sparsecast
