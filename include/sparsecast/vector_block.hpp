#pragma once
// VectorBlock: several dense vectors side by side in memory of the caller, which Plan multiplies at once: the matrix is
// then read once for all of them.
//
// Thread safety: a value; it owns nothing.

#include <cstdint>
#include <span>

#pragma GCC visibility push(default)
namespace sparsecast {

/// How the vectors of a block lie in memory. Entry i of vector v is at
enum class BlockOrder {
  row_major,     ///< data[i · leading + v]: the vectors' entries of one row side by side; the faster one
  column_major,  ///< data[v · leading + i]: one vector after the other
};

/// Each vector is as long as the matrix has columns (x) or rows (y); for a transposed product the other way round.
template <class Value>
struct VectorBlock {
  std::span<Value> data;
  std::int64_t vectors = 1;
  std::int64_t leading = 0;  ///< distance of two rows (row_major) or two vectors; 0: without a gap
  BlockOrder order = BlockOrder::row_major;
};

}  // namespace sparsecast
#pragma GCC visibility pop
