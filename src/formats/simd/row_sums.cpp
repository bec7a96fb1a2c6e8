
#include "formats/simd/complex_sums.hpp"
#include "formats/simd/row_loops.hpp"
#include "formats/simd/wide.hpp"

namespace sparsecast::formats {
namespace {
#if SPARSECAST_X86
// A dense row, or a stretch of one, is found by the columns at its ends, which ascend (that and the quarters between:
// who lends arrays in no order is not to be caught by chance). Its entries of x follow each other, and no other column
// is read. Stretches are of so many entries, which shorter rows are not looked at for.
constexpr std::int64_t stretch = 256;

template <class Index>
SPARSECAST_INLINE bool is_run(const Index* columns) {
  bool run = true;
  for (const std::int64_t at : {stretch / 4, stretch / 2, 3 * stretch / 4, stretch - 1})
    run &= columns[at] - columns[0] == static_cast<Index>(at);
  return run;
}

template <class Value, class Index>
SPARSECAST_WIDE Value wide_sum(const Value* values, const Index* columns, std::int64_t count, const Value* x) {
  using W = Wide<Value>;
  constexpr std::int64_t lanes = W::lanes;
  typename W::Values s0 = W::zero(), s1 = W::zero();
  std::int64_t k = 0;
  while (k + stretch <= count) {
    const std::int64_t end = k + stretch;
    if (is_run(columns + k)) {
      for (const Value* from = x + columns[k]; k < end; k += 2 * lanes, from += 2 * lanes) {
        prefetch(values + k, prefetch_bytes);
        if constexpr (sizeof(Value) == 8) prefetch(values + k + lanes, prefetch_bytes);
        s0 = W::multiply_add(W::load(values + k), W::load(from), s0);
        s1 = W::multiply_add(W::load(values + k + lanes), W::load(from + lanes), s1);
      }
      continue;
    }
    for (; k < end; k += 2 * lanes) {
      prefetch_stream(values + k, columns + k);
      prefetch_stream(values + k + lanes, columns + k + lanes);
      s0 = W::multiply_add(W::load(values + k), W::pick(columns + k, x), s0);
      s1 = W::multiply_add(W::load(values + k + lanes), W::pick(columns + k + lanes, x), s1);
    }
  }
  for (; k + 2 * lanes <= count; k += 2 * lanes) {
    prefetch_stream(values + k, columns + k);
    prefetch_stream(values + k + lanes, columns + k + lanes);
    s0 = W::multiply_add(W::load(values + k), W::pick(columns + k, x), s0);
    s1 = W::multiply_add(W::load(values + k + lanes), W::pick(columns + k + lanes, x), s1);
  }
  if (k + lanes <= count) {
    prefetch_stream(values + k, columns + k);
    s0 = W::multiply_add(W::load(values + k), W::pick(columns + k, x), s0);
    k += lanes;
  }
  Value rest = 0;
  for (; k < count; ++k) rest += values[k] * x[columns[k]];
  return W::total(W::add(s0, s1)) + rest;
}

// Short rows: where one ends is hard to predict, and a wrong guess costs more than the row. So the products of a block
// of rows are first computed as one stream that knows no rows, and then added up for eight rows at a time without a
// branch on their lengths (irregular rows of 1 to 9: 1.1 instead of 2.1 ns per non-zero; the block stays in the first-
// level cache). The idea is that of CSR-stream (Greathouse & Daga 2014), made for a vector unit.
// RowGroups counts such groups for the forecast.
constexpr std::int64_t block_products = 1024, group = RowGroups::rows, short_group = RowGroups::short_nonzeros;
static_assert(short_group <= block_products, "a short group must fit a block");

template <class View, class Value>
SPARSECAST_WIDE void sum_block(const View& csr, std::int64_t first, std::int64_t last, const Value* x, Value* y) {
  using W = Wide<Value>;
  static_assert(W::lanes == group, "RowGroups counts vectors of as many entries");
  alignas(64) Value products[block_products];
  const auto* row_pointers = csr.row_pointers;
  const std::int64_t begin = row_pointers[first], count = row_pointers[last] - begin;
  const Value* values = csr.values + begin;
  const auto* columns = csr.column_indices + begin;
  std::int64_t k = 0;
  for (; k + W::lanes <= count; k += W::lanes) {
    prefetch_stream(values + k, columns + k);
    W::store(products + k, W::multiply(W::load(values + k), W::pick(columns + k, x)));
  }
  for (; k < count; ++k) products[k] = values[k] * x[columns[k]];

  for (std::int64_t row = first; row < last; row += group) {
    std::int64_t longest = 0;
    typename W::Values rows[group];
    for (int i = 0; i < group; ++i) {
      const std::int64_t from = row_pointers[row + i] - begin, length = row_pointers[row + i + 1] - begin - from;
      longest = length > longest ? length : longest;
      rows[i] = W::load(W::first(length), products + from);
    }
    for (std::int64_t done = W::lanes; done < longest; done += W::lanes) {
      for (int i = 0; i < group; ++i) {
        const std::int64_t end = row_pointers[row + i + 1] - begin, from = row_pointers[row + i] - begin + done;
        if (from < end) rows[i] = W::add(rows[i], W::load(W::first(end - from), products + from));
      }
    }
    W::store(y + row, W::totals(rows));
  }
}

template <class View, class Value>
SPARSECAST_AVX512 void rows_avx512(const View& csr, std::int64_t first, std::int64_t last, const Value* x, Value* y) {
  if constexpr (sizeof(typename View::Index) <= sizeof(std::int32_t)) {
    const auto* row_pointers = csr.row_pointers;
    std::int64_t row = first;
    while (row < last) {
      std::int64_t end = row;  // as many groups of short rows as the block holds
      while (end + group <= last && row_pointers[end + group] - row_pointers[end] <= short_group &&
             row_pointers[end + group] - row_pointers[row] <= block_products)
        end += group;
      if (end > row) {
        sum_block(csr, row, end, x, y);
        row = end;
        continue;
      }
      for (end = row + group < last ? row + group : last; row < end; ++row) {
        const std::int64_t begin = row_pointers[row];
        y[row] = wide_sum(csr.values + begin, csr.column_indices + begin, row_pointers[row + 1] - begin, x);
      }
    }
  } else {
    sum_rows(csr, first, last, x, y);
  }
}
template <class View, class Value>
SPARSECAST_AVX512 Value part_avx512(const View& csr, std::int64_t begin, std::int64_t end, const Value* x) {
  if constexpr (sizeof(typename View::Index) <= sizeof(std::int32_t)) {
    return wide_sum(csr.values + begin, csr.column_indices + begin, end - begin, x);
  } else {
    return sum(csr.values + begin, csr.column_indices + begin, end - begin, x);
  }
}
#endif
}  // namespace

template <class Value, class Offset, class Index>
RowSums<Value, Offset, Index> row_sums(Simd simd) {
  if constexpr (is_complex_value<Value>) {
    return complex_row_sums<Value, Offset, Index>(simd);
  } else {
#if SPARSECAST_X86
    using View = CsrArrays<Value, Offset, Index>;
    if (simd == Simd::avx512) return {rows_avx512<View, Value>, part_avx512<View, Value>};
#endif
    return compiled_row_sums<Value, Offset, Index>(simd);
  }
}

#define SPARSECAST_INSTANTIATE(Value)                                 \
  template RowSums<Value, std::int32_t, std::int32_t> row_sums(Simd); \
  template RowSums<Value, std::int64_t, std::int32_t> row_sums(Simd); \
  template RowSums<Value, std::int64_t, std::int64_t> row_sums(Simd);
SPARSECAST_INSTANTIATE(float)
SPARSECAST_INSTANTIATE(double)
SPARSECAST_INSTANTIATE(std::complex<float>)
SPARSECAST_INSTANTIATE(std::complex<double>)
#undef SPARSECAST_INSTANTIATE

namespace {
template <class Value, class Index>
SPARSECAST_INLINE Value sum_run(const Value* values, const Index* columns, std::int64_t count, const Value* x) {
  Value total = 0;
#pragma omp simd reduction(+ : total)
  for (std::int64_t k = 0; k < count; ++k) total += values[k] * x[columns[k]];
  return total;
}

template <class Value, class Index>
SPARSECAST_INLINE void add_segments(const Index* rows, const Index* columns, const Value* values, std::int64_t count,
                                    const Value* x, Value* y) {
  std::int64_t k = 0;
  while (k < count) {
    const Index row = rows[k];
    Value s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; k + 4 <= count && rows[k + 3] == row; k += 4) {  // four of the same row: rows ascend
      prefetch(rows + k, prefetch_bytes / 2);
      prefetch_stream(values + k, columns + k);
      s0 += values[k] * x[columns[k]];
      s1 += values[k + 1] * x[columns[k + 1]];
      s2 += values[k + 2] * x[columns[k + 2]];
      s3 += values[k + 3] * x[columns[k + 3]];
    }
    prefetch(rows + k, prefetch_bytes / 2);
    prefetch_stream(values + k, columns + k);
    for (; k < count && rows[k] == row; ++k) s0 += values[k] * x[columns[k]];
    y[row] += (s0 + s1) + (s2 + s3);
  }
}

}  // namespace

template <class Value, class Index>
SegmentSums<Value, Index> segment_sums(Simd simd) {
  return {compiled_for<sum_run<Value, Index>>(simd), compiled_for<add_segments<Value, Index>>(simd)};
}

template SegmentSums<float, std::int32_t> segment_sums(Simd);
template SegmentSums<float, std::int64_t> segment_sums(Simd);
template SegmentSums<double, std::int32_t> segment_sums(Simd);
template SegmentSums<double, std::int64_t> segment_sums(Simd);
}  // namespace sparsecast::formats
