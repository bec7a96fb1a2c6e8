#pragma once
// The block of the matrix that one process multiplies, with local 32-bit indices, in the two formats of the paper. It
// is not a Matrix: it is mutable while it is built, has no name, and one core works on it.

#include <cstdint>
#include <span>
#include <sparsecast/array.hpp>
#include <variant>
#include <vector>

#include "cluster/scheme/scheme.hpp"
#include "formats/simd/row_sums.hpp"

namespace sparsecast::cluster {
struct LocalEntry {
  std::int32_t row = 0, column = 0;
  double value = 0;
};

/// Blocks are put together in double precision; Value is what products read.
template <class Value>
struct CsrBlockOf {
  std::int64_t rows = 0, columns = 0;
  Array<std::int32_t> row_pointers;  ///< rows + 1
  Array<std::int32_t> column_indices;
  Array<Value> values;
  Array<std::int32_t> filled_rows;  ///< of a block that is added to y: its rows with entries (list_filled_rows)
  [[nodiscard]] std::int64_t nonzeros() const { return static_cast<std::int64_t>(values.size()); }
};

using CsrBlock = CsrBlockOf<double>;

template <class Value>
struct CooBlockOf {
  std::int64_t rows = 0, columns = 0;
  Array<std::int32_t> row_indices, column_indices;  ///< by row, then by column
  Array<Value> values;
};

/// Sorts the entries by row and column (equal ones stay apart: the product adds them). Error failed where a block
/// would need more than 2³¹ − 1 rows, columns or entries.
CsrBlock csr_block(std::int64_t rows, std::int64_t columns, std::span<const LocalEntry> entries);
/// For a block that is only ever added to y, as the remote block of l1dr is, most of whose rows are empty: the product
/// then visits the others alone.
void list_filled_rows(CsrBlock& block);

/// A block in the format that was asked for, multiplied by the loops of the kernels csr and coo, by so many threads,
/// each of which has its share of the entries in whole rows. A block with listed rows is only ever added. Value float:
/// its entries are rounded once.
template <class Value>
class LocalBlockOf {
 public:
  LocalBlockOf(CsrBlock csr, LocalFormat format, int threads = 1);
  /// y = A·x, or y += A·x where `add`. x has columns entries, y has rows.
  void apply(std::span<const Value> x, std::span<Value> y, bool add) const;
  [[nodiscard]] std::int64_t nonzeros() const;

 private:
  using Rows = CsrBlockOf<Value>;
  using Entries = CooBlockOf<Value>;
  std::variant<Rows, Entries> block_;
  formats::RowSums<Value, std::int32_t, std::int32_t> sums_ = formats::row_sums<Value, std::int32_t, std::int32_t>();
  formats::SegmentSums<Value, std::int32_t> entries_ = formats::segment_sums<Value, std::int32_t>();
  /// Where a thread's rows begin (of a block with listed rows: places in the list) and its entries; one more than
  /// threads.
  struct Cut {
    std::int64_t row = 0, entry = 0;
  };
  std::vector<Cut> cuts_;

  void apply_share(const Rows& block, std::size_t share, std::span<const Value> x, std::span<Value> y, bool add) const;
  void apply_share(const Entries& block, std::size_t share, std::span<const Value> x, std::span<Value> y,
                   bool add) const;
};
using LocalBlock = LocalBlockOf<double>;
extern template class LocalBlockOf<double>;
extern template class LocalBlockOf<float>;
}  // namespace sparsecast::cluster
