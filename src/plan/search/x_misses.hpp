#pragma once
// Reuse of x from a few windows of the column indices, at a nanosecond per read: analyze() follows exact LRU stacks,
// which costs as much as tens of products on a matrix that fits a cache.

#include <cstdint>
#include <sparsecast/matrix.hpp>
#include <sparsecast/structure.hpp>

namespace sparsecast::planning {

/// Stack distances estimated from reuse times (StatStack: Eklov & Hagersten 2010): a read whose line was last read r
/// reads ago has, on average, as many distinct lines in between as there are reads in that stretch whose own line is
/// not read again within it. About `reads` reads are looked at.
[[nodiscard]] XReuse estimate_x_reuse(const Matrix& matrix, int elements_per_line, std::int64_t reads);

}  // namespace sparsecast::planning
