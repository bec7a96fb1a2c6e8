#pragma once
// VectorBlock: several dense vectors side by side in memory of the caller, which Plan multiplies at once: the matrix is
// then read once for all of them.
//
// Thread safety: a value; it owns nothing.

#include <cstdint>
#include <span>

#pragma GCC visibility push(default)
namespace sparsecast {

/// How the vectors of a block lie in memory: the place of entry i of vector v.
enum class BlockOrder {
  row_major,     ///< data[i · leading + v]: the entries of one row side by side; faster
  column_major,  ///< data[v · leading + i]: one vector after the other
};

/// Each vector is as long as the matrix has columns (x) or rows (y); for a transposed product the other way round.
template <class Value>
struct VectorBlock {
  std::span<Value> data;
  std::int64_t vectors = 1;
  std::int64_t leading = 0;  ///< distance from one row (row_major) or vector to the next; 0: no gap
  BlockOrder order = BlockOrder::row_major;
};

}  // namespace sparsecast
#pragma GCC visibility pop
