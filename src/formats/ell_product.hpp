#pragma once
// y = A·x on ELL arrays, rows dealt to `parts` threads (the ELL kernel and the regular part of HYB).

#include <span>

#include "formats/ell.hpp"
#include "formats/workload.hpp"

namespace sparsecast::formats {

/// Columns that are walked through side by side; more are added block by block of lane_block rows.
inline constexpr std::int64_t most_streams = 32;

template <class Value, class Index>
void multiply_ell(const Ell<Value, Index>& ell, int parts, std::span<const Value> x, std::span<Value> y);
/// y += alpha·(rows of that part)ᵀ·x on the calling thread.
template <class Value, class Index>
void add_transposed_ell(const Ell<Value, Index>& ell, int part, int parts, Value alpha, const Value* x, Value* y);
/// The values of the first `width` entries of every row, of a matrix with the same pattern.
template <class Value, class Index>
void update_ell(Ell<Value, Index>& ell, const Matrix& matrix, int parts);

/// What that does at a width: blocks begun, streams that alias, vectors of eight slots that lie in two cache lines.
void count_ell(std::int64_t width, const WorkContext& context, Workload& workload);
/// What predicting the padding fails at. A vector of eight rows is taken in another way once padding has begun, and a
/// branch decides. Row by row the place is a length to predict; column by column every group that differs from the one
/// before is another answer: `turns` (RowGroups).
[[nodiscard]] double padding_mispredictions(const RowGroups& groups, std::int64_t width, std::int64_t turns);

}  // namespace sparsecast::formats
