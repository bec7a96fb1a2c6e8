#pragma once
// SELL-8-1024, on GPUs SELL-32-1024, with fewer bytes and the same numbers. Values that repeat are codes into a table
// (CSR-VI of Kourtis, Goumas & Koziris 2008), values that a smaller type holds are stored in it; columns of a window of
// 1,024 rows that lie near each other are 16-bit distances from its lowest.

#include "formats/sell.hpp"
#include "formats/simd/lane_sums.hpp"

namespace sparsecast::formats {
/// How values are stored: one for all, codes of a byte into up to 16, codes into up to 256 doubles (reading floats from
/// a table takes longer than reading them where they lie), in two bytes, as float, as they are.
enum class StoredValues : std::uint8_t { one, sixteen, codes, half, bfloat16, single, plain };
/// What that structure's are stored as where a product computes with values of so many bytes.
[[nodiscard]] StoredValues stored_values(const CompactStorage& compact, int value_bytes);
/// The same on GPUs, whose kernel has no two-byte values: those are floats there.
[[nodiscard]] StoredValues stored_on_gpu(const CompactStorage& compact, int value_bytes);
/// Bytes of one.
[[nodiscard]] int stored_bytes(StoredValues kind, int value_bytes);

/// In slices of so many rows: eight fill a vector, 32 a warp.
template <class Value, int height = host_sell.slice_rows>
struct SellCompact {
  static constexpr std::int64_t slice_rows = height, window_rows = CompactStorage::window_rows;
  static constexpr std::uint16_t padding = 0xffff;  ///< column of a padded slot in `near`; padding_column in `far`

  std::int64_t rows = 0, cols = 0;
  StoredValues kind = StoredValues::plain;
  Array<std::int64_t> slice_pointers;  ///< as in Sell
  Array<std::int32_t> permutation;     ///< as in Sell; a slice's longest row first
  Array<std::int32_t> bases;           ///< of every window: what its columns count from; −1: they are in `far`
  Array<std::int64_t> shifts;          ///< of every window: slot − shift is the place in `near` or `far`
  Array<std::uint16_t> near;
  Array<std::int32_t> far;
  Array<Value> table;       ///< of codes: one value, 16 or 256
  Array<std::byte> values;  ///< of every slot, stored_bytes(kind) each
  Array<FullColumns> full;  ///< of every slice of the host's; a byte each, which bytes() leaves out

  [[nodiscard]] std::int64_t slices() const { return static_cast<std::int64_t>(slice_pointers.size()) - 1; }
  [[nodiscard]] std::int64_t bytes() const;
};

[[nodiscard]] std::int64_t sell_compact_bytes(const Structure& structure, int value_bytes);
/// The same on a GPU, about: which slots lie far apart is known of slices of eight rows.
[[nodiscard]] std::int64_t gpu_sell_compact_bytes(const Structure& structure, int value_bytes);
/// The share of slots whose columns take 32 bits, as counted in slices of eight rows.
[[nodiscard]] double far_share(const Structure& structure);
/// Why it is not worth building for such a matrix; empty where it is.
[[nodiscard]] std::string sell_compact_refusal(const Structure& structure);
/// Any matrix of up to 2³¹ − 1 rows and columns.
template <class Value, int height = host_sell.slice_rows>
[[nodiscard]] SellCompact<Value, height> to_sell_compact(const Matrix& matrix, int threads);
}  // namespace sparsecast::formats
