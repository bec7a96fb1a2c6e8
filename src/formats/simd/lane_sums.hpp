#pragma once
// The inner loops of the formats stored column by column (ELL, SELL, JAD): neighbouring rows in neighbouring lanes of a
// vector, in the versions of simd.hpp.

#include <cstdint>

#include "formats/simd/simd.hpp"

namespace sparsecast::formats {
/// Rows whose sums a kernel keeps in cache while it walks through the columns of a format: prefetch_bytes of double
/// values.
inline constexpr std::int64_t lane_block = 1024;

/// How many of a slice's columns, from the first on, hold an entry in every lane, looked at once when it is made;
/// every_column where all do, read_in_runs where besides all eight lanes in succession read x beside each other, as
/// rows of grids do.
using FullColumns = std::uint8_t;
inline constexpr FullColumns read_in_runs = 255, every_column = 254;

/// `columns`: the slots of a slice of `lanes` rows, a multiple of eight, column by column; padded ones hold −1, or the
/// largest number of a type without negative ones.
template <class Index>
[[nodiscard]] FullColumns full_columns(const Index* columns, std::int64_t width, std::int64_t lanes) {
  FullColumns kind = read_in_runs;
  for (std::int64_t k = 0; k < width; ++k) {
    for (std::int64_t i = 0; i < lanes; ++i, ++columns) {
      if (*columns == static_cast<Index>(-1)) return static_cast<FullColumns>(k < every_column ? k : every_column - 1);
      if (i % 8 != 0 && *columns != columns[-1] + 1) kind = every_column;
    }
  }
  return kind;
}

/// Slices of C rows as SELL holds them: slice s has the slots pointers[s] … pointers[s + 1] − 1, and the sum of its
/// lane i belongs to row permutation[C·s + i], or to row C·s + i where there is no permutation.
template <class Value, class Index>
struct SliceArrays {
  const Value* values = nullptr;
  const Index* columns = nullptr;
  const std::int64_t* pointers = nullptr;
  const Index* permutation = nullptr;
  const FullColumns* full = nullptr;  ///< of every slice
  std::int64_t rows = 0;
};

template <class Value, class Index>
struct LaneSums {
  /// y of the rows in the slices first … last − 1, of eight rows each, with a permutation.
  void (*slices)(const SliceArrays<Value, Index>& sell, std::int64_t first, std::int64_t last, const Value* x,
                 Value* y);
  /// y[i] = Σ over k < width of values[k·lanes + i]·x[columns[k·lanes + i]] for 0 ≤ i < lanes; padding is skipped.
  void (*slice)(const Value* values, const Index* columns, std::int64_t width, std::int64_t lanes, const Value* x,
                Value* y);
  /// The same with the columns `stride` ≥ lanes apart and any number of lanes: ELL with so few columns that each is a
  /// stream of its own.
  void (*columns)(const Value* values, const Index* columns, std::int64_t stride, std::int64_t width,
                  std::int64_t lanes, const Value* x, Value* y);
  /// sums[i] += values[i]·x[columns[i]] for 0 ≤ i < lanes; padding is skipped. As many entries from next_values and
  /// next_columns on, which the next call takes, are prefetched.
  void (*add_column)(const Value* values, const Index* columns, std::int64_t lanes, const Value* next_values,
                     const Index* next_columns, const Value* x, Value* sums);
  /// The same as `slices` of slices of 8, 16 or 32 rows, with a permutation or without.
  void (*slices_of)(const SliceArrays<Value, Index>& sell, int slice_rows, std::int64_t first, std::int64_t last,
                    const Value* x, Value* y);
};
inline constexpr int tallest_slice = 32;

template <class Value, class Index>
[[nodiscard]] LaneSums<Value, Index> lane_sums(Simd simd = best_simd());
}  // namespace sparsecast::formats
