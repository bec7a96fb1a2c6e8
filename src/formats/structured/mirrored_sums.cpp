#include "formats/structured/mirrored_sums.hpp"

#include "formats/simd/wide.hpp"

namespace sparsecast::formats {
namespace {
// Two sums hide the latency of the additions. y has no line in common with values and columns; said by reading ahead of
// the stores.
template <class Value, class Index>
SPARSECAST_INLINE Value mirror(const Value* values, const Index* columns, std::int64_t count, Value of_row,
                               const Value* x, Value* y) {
  Value even = 0, odd = 0;
  std::int64_t k = 0;
  for (; k + 4 <= count; k += 4) {
    prefetch_stream(values + k, columns + k);
    const Index c0 = columns[k], c1 = columns[k + 1], c2 = columns[k + 2], c3 = columns[k + 3];
    const Value a0 = values[k], a1 = values[k + 1], a2 = values[k + 2], a3 = values[k + 3];
    even += a0 * x[c0];
    odd += a1 * x[c1];
    even += a2 * x[c2];
    odd += a3 * x[c3];
    y[c0] += a0 * of_row;
    y[c1] += a1 * of_row;
    y[c2] += a2 * of_row;
    y[c3] += a3 * of_row;
  }
  for (; k < count; ++k) {
    even += values[k] * x[columns[k]];
    y[columns[k]] += values[k] * of_row;
  }
  return even + odd;
}

template <class Value, class Index>
SPARSECAST_INLINE void mirror_rows(const CsrSym<Value, Index>& sym, std::int64_t first, std::int64_t last,
                                   const Value* x, Value* y, Value* far) {
  const Value* values = sym.values.data();
  const Index* columns = sym.column_indices.data();
  const std::int64_t* pointers = sym.row_pointers.data();
  const Value* diagonal = sym.diagonal.data();
  for (std::int64_t row = first; row < last; ++row) {
    std::int64_t k = pointers[row];
    const std::int64_t end = pointers[row + 1];
    const Value of_row = x[row];
    Value sum = is_padding(diagonal[row]) ? Value{0} : diagonal[row] * of_row;
    if (k < end && columns[k] < first) {
      std::int64_t near = k;
      while (near < end && columns[near] < first) ++near;
      sum += mirror(values + k, columns + k, near - k, of_row, x, far);
      k = near;
    }
    y[row] = sum + mirror(values + k, columns + k, end - k, of_row, x, y);
  }
}

// A slice of SELL-SYM: what its rows multiply and add up.
template <class Value>
struct MirroredLanes {
  alignas(64) Value of_row[8] = {};
  alignas(64) Value sums[8] = {};
};

// Columns k, k + 1, … of a slice, the first `having` lanes of each.
template <bool reaches_far, class Value, class Index>
SPARSECAST_INLINE void mirror_columns(const Value* values, const Index* columns, const Index* lengths,
                                      std::int64_t having, std::int64_t k, std::int64_t first,
                                      const MirroredTask<Value>& task, MirroredLanes<Value>& lanes) {
  for (; k < lengths[0]; ++k) {
    while (lengths[having - 1] <= k) --having;
    prefetch_stream(values, columns);
    for (std::int64_t i = 0; i < having; ++i) {
      const Index column = columns[i];
      Value* y = reaches_far && column < first ? task.far : task.y;
      lanes.sums[i] += values[i] * task.x[column];
      y[column] += values[i] * lanes.of_row[i];
    }
    values += having;
    columns += having;
  }
}

// Columns ascend within a row: the first one tells whether a row reaches rows before `first`.
template <class Index>
SPARSECAST_INLINE bool reach_below(const Index* columns, const Index* lengths, std::int64_t rows, std::int64_t first) {
  bool below = false;
  for (std::int64_t i = 0; i < rows && lengths[i] > 0; ++i) below |= columns[i] < first;
  return below;
}

// y of a window before its slices add to it. Padding comes to nothing unless x is not finite there, and is looked at
// only then.
template <class Value, class Index>
SPARSECAST_INLINE void begin_window(const SellSym<Value, Index>& sym, std::int64_t first, std::int64_t last,
                                    const MirroredTask<Value>& task) {
  using Flag = std::conditional_t<sizeof(Value) == 4, std::int32_t, std::int64_t>;  // as wide as a lane
  const Value* diagonal = sym.diagonal.data() + first;
  const Value* x = task.x + first;
  Value* y = task.y + first;
  const std::int64_t count = last - first;
  Flag unsound = 0;
  if (task.beta == 0) {
    for (std::int64_t i = 0; i < count; ++i) {
      y[i] = task.alpha * diagonal[i] * x[i];
      unsound |= y[i] == y[i] ? 0 : 1;
    }
    if (unsound == 0) return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const Value own = is_padding(diagonal[i]) ? Value{0} : task.alpha * diagonal[i] * x[i];
    y[i] = task.beta == 0 ? own : own + task.beta * y[i];
  }
}

// A slice, and how many of its columns have all eight rows and go to rows from `first` on, which need no look at
// either.
template <class Value, class Index>
struct MirroredSlice {
  static constexpr std::int64_t C = SellSym<Value, Index>::slice_rows;
  const Value* values = nullptr;
  const Index* columns = nullptr;
  const Index* places = nullptr;
  const Index* lengths = nullptr;
  std::int64_t rows = 0, full = 0;
  bool reaches_far = false;

  SPARSECAST_INLINE MirroredSlice(const SellSym<Value, Index>& sym, std::int64_t slice, std::int64_t first)
      : values(sym.values.data() + sym.slice_pointers[slice]),
        columns(sym.column_indices.data() + sym.slice_pointers[slice]),
        places(sym.permutation.data() + slice * C),
        lengths(sym.lengths.data() + slice * C),
        rows(std::min(C, sym.rows - slice * C)),
        reaches_far(first > 0 && reach_below(columns, lengths, rows, first)) {
    full = rows == C && !reaches_far ? lengths[C - 1] : 0;
  }
};

// The columns of a slice behind the full ones, and its sums to their rows.
template <class Value, class Index>
SPARSECAST_INLINE void end_slice(const MirroredSlice<Value, Index>& slice, std::int64_t first,
                                 const MirroredTask<Value>& task, MirroredLanes<Value>& lanes) {
  const Value* values = slice.values + slice.full * slice.C;
  const Index* columns = slice.columns + slice.full * slice.C;
  if (slice.reaches_far) {
    mirror_columns<true>(values, columns, slice.lengths, slice.rows, 0, first, task, lanes);
  } else {
    mirror_columns<false>(values, columns, slice.lengths, slice.rows, slice.full, first, task, lanes);
  }
  for (std::int64_t i = 0; i < slice.rows; ++i) task.y[slice.places[i]] += task.alpha * lanes.sums[i];
}

template <class Value, class Index>
SPARSECAST_INLINE void mirror_slices(const SellSym<Value, Index>& sym, std::int64_t first, std::int64_t last,
                                     const MirroredTask<Value>& task) {
  constexpr std::int64_t C = SellSym<Value, Index>::slice_rows;
  for (std::int64_t begin = first; begin < last; begin += sym.window_rows) {
    const std::int64_t end = std::min(last, begin + sym.window_rows);
    begin_window(sym, begin, end, task);
    for (std::int64_t s = begin / C; s * C < end; ++s) {
      const MirroredSlice<Value, Index> slice(sym, s, first);
      MirroredLanes<Value> lanes;
      for (std::int64_t i = 0; i < slice.rows; ++i) lanes.of_row[i] = task.alpha * task.x[slice.places[i]];
      const Value* values = slice.values;
      const Index* columns = slice.columns;
      for (std::int64_t k = 0; k < slice.full; ++k, values += C, columns += C) {
        prefetch_stream(values, columns);
        for (std::int64_t i = 0; i < C; ++i) {
          lanes.sums[i] += values[i] * task.x[columns[i]];
          task.y[columns[i]] += values[i] * lanes.of_row[i];
        }
      }
      end_slice(slice, first, task, lanes);
    }
  }
}

#if SPARSECAST_X86
// Additions to y one by one: the scatter instruction takes longer, and asks which of its places are the same.
template <class Value, class Index>
SPARSECAST_AVX512 void mirrored_slices_avx512(const SellSym<Value, Index>& sym, std::int64_t first, std::int64_t last,
                                              const MirroredTask<Value>& task) {
  if constexpr (std::is_same_v<Index, std::int32_t>) {
    using W = Wide<Value>;
    constexpr std::int64_t C = SellSym<Value, Index>::slice_rows;
    static_assert(W::lanes == C, "a column of a slice is a vector");
    for (std::int64_t begin = first; begin < last; begin += sym.window_rows) {
      const std::int64_t end = std::min(last, begin + sym.window_rows);
      begin_window(sym, begin, end, task);
      for (std::int64_t s = begin / C; s * C < end; ++s) {
        const MirroredSlice<Value, Index> slice(sym, s, first);
        MirroredLanes<Value> lanes;
        if (slice.full == 0) {
          for (std::int64_t i = 0; i < slice.rows; ++i) lanes.of_row[i] = task.alpha * task.x[slice.places[i]];
          end_slice(slice, first, task, lanes);
          continue;
        }
        const typename W::Values of_row = W::multiply(W::broadcast(task.alpha), W::pick(slice.places, task.x));
        W::store(lanes.of_row, of_row);
        typename W::Values sums = W::zero();
        const Value* values = slice.values;
        const Index* columns = slice.columns;
        for (std::int64_t k = 0; k < slice.full; ++k, values += C, columns += C) {
          prefetch_stream(values, columns);
          const typename W::Values entries = W::load(values);
          sums = W::multiply_add(entries, W::pick(columns, task.x), sums);
          alignas(64) Value mirrored[C];
          W::store(mirrored, W::multiply(entries, of_row));
#pragma GCC unroll 8
          for (std::int64_t i = 0; i < C; ++i) task.y[columns[i]] += mirrored[i];
        }
        W::store(lanes.sums, sums);
        end_slice(slice, first, task, lanes);
      }
    }
  } else {
    mirror_slices(sym, first, last, task);
  }
}
#endif
}  // namespace

template <class Value, class Index>
MirroredSums<Value, Index> mirrored_sums(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return {Compiled<mirror_rows<Value, Index>>::avx2, mirrored_slices_avx512<Value, Index>};
#endif
  return {compiled_for<mirror_rows<Value, Index>>(simd), compiled_for<mirror_slices<Value, Index>>(simd)};
}

template MirroredSums<float, std::int32_t> mirrored_sums(Simd);
template MirroredSums<float, std::int64_t> mirrored_sums(Simd);
template MirroredSums<double, std::int32_t> mirrored_sums(Simd);
template MirroredSums<double, std::int64_t> mirrored_sums(Simd);
}  // namespace sparsecast::formats
