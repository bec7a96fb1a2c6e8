#include "formats/simd/segment_sums.hpp"

#include "formats/simd/prefetch.hpp"

namespace sparsecast::formats {
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

template <class Value, class Index>
Value run_portable(const Value* values, const Index* columns, std::int64_t count, const Value* x) {
  return sum_run(values, columns, count, x);
}
template <class Value, class Index>
void add_portable(const Index* rows, const Index* columns, const Value* values, std::int64_t count, const Value* x,
                  Value* y) {
  add_segments(rows, columns, values, count, x, y);
}

#if SPARSECAST_X86
template <class Value, class Index>
SPARSECAST_AVX2 Value run_avx2(const Value* values, const Index* columns, std::int64_t count, const Value* x) {
  return sum_run(values, columns, count, x);
}
template <class Value, class Index>
SPARSECAST_AVX2 void add_avx2(const Index* rows, const Index* columns, const Value* values, std::int64_t count,
                              const Value* x, Value* y) {
  add_segments(rows, columns, values, count, x, y);
}
template <class Value, class Index>
SPARSECAST_AVX512 Value run_avx512(const Value* values, const Index* columns, std::int64_t count, const Value* x) {
  return sum_run(values, columns, count, x);
}
template <class Value, class Index>
SPARSECAST_AVX512 void add_avx512(const Index* rows, const Index* columns, const Value* values, std::int64_t count,
                                  const Value* x, Value* y) {
  add_segments(rows, columns, values, count, x, y);
}
#endif

}  // namespace

template <class Value, class Index>
SegmentSums<Value, Index> segment_sums(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return {run_avx512<Value, Index>, add_avx512<Value, Index>};
  if (simd == Simd::avx2) return {run_avx2<Value, Index>, add_avx2<Value, Index>};
#endif
  static_cast<void>(simd);
  return {run_portable<Value, Index>, add_portable<Value, Index>};
}

template SegmentSums<float, std::int32_t> segment_sums(Simd);
template SegmentSums<float, std::int64_t> segment_sums(Simd);
template SegmentSums<double, std::int32_t> segment_sums(Simd);
template SegmentSums<double, std::int64_t> segment_sums(Simd);

}  // namespace sparsecast::formats
