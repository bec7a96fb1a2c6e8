#pragma once
// Rows of CSR written into slices of eight, as SELL holds them: column by column, padded to the longest. Eight rows of
// eight entries are read as they lie and turned in registers, where entry by entry each would be a store of its own.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <sparsecast/array.hpp>

#include "formats/simd/simd.hpp"

namespace sparsecast::formats {
/// The rows of a slice: where each begins among the entries and how long it is; 0 for one that the matrix has not.
struct SliceRows {
  static constexpr int rows = 8;
  std::array<std::int64_t, rows> from{}, length{};
  std::int64_t width = 0;  ///< of the longest
};

/// Those of slice `slice` of a matrix whose rows are in the order of `permutation`, or in their own where that is
/// empty.
template <class Csr, class Index>
[[nodiscard]] SliceRows rows_of_slice(const Csr& csr, const Array<Index>& permutation, std::int64_t slice,
                                      std::int64_t width) {
  SliceRows rows;
  rows.width = width;
  const std::int64_t first = slice * SliceRows::rows, count = std::min<std::int64_t>(csr.rows - first, SliceRows::rows);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = permutation.empty() ? first + i : permutation[first + i];
    rows.from[static_cast<std::size_t>(i)] = csr.row_pointers[row];
    rows.length[static_cast<std::size_t>(i)] = csr.row_pointers[row + 1] - csr.row_pointers[row];
  }
  return rows;
}

/// Stores the columns of a slice as distances to `base`, −1 in padded slots; Column: int32, or uint16 where it holds
/// them.
template <class Column>
using StoreColumns = void (*)(const std::int32_t* columns, const SliceRows& rows, std::int32_t base, Column* to);
template <class Column>
[[nodiscard]] StoreColumns<Column> store_columns(Simd simd = best_simd());

/// Stores its values, 0 in padded slots.
template <class Value, class Stored>
using StoreValues = void (*)(const Value* values, const SliceRows& rows, Stored* to);
template <class Value, class Stored>
[[nodiscard]] StoreValues<Value, Stored> store_values(Simd simd = best_simd());

/// Codes of a byte by a hash of the values' bits: values[bits · factor >> shift].
struct CodeTable {
  const std::uint8_t* codes = nullptr;
  std::uint64_t factor = 1;
  int shift = 0;
  [[nodiscard]] std::uint8_t code(double value) const {
    return codes[std::bit_cast<std::uint64_t>(value) * factor >> shift];
  }
};
/// Stores the codes of its values, in padded slots any.
template <class Value>
using StoreCodes = void (*)(const Value* values, const SliceRows& rows, const CodeTable& table, std::uint8_t* to);
template <class Value>
[[nodiscard]] StoreCodes<Value> store_codes(Simd simd = best_simd());
}  // namespace sparsecast::formats
