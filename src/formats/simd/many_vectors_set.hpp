// The loops of many_vectors.cpp for one instruction set. Included once for each, with SPARSECAST_SET, its attribute,
// and SPARSECAST_SET_BYTES, the width of its registers. (Vector types are taken apart where a function is written and
// not where it is inlined, so a text that several sets share would be that of the narrowest.) No #pragma once.

// Sums of `vectors` neighbouring vectors in registers.
template <class Value, int vectors>
struct Tile {
  static constexpr int most = SPARSECAST_SET_BYTES / static_cast<int>(sizeof(Value));
  static constexpr int lanes = vectors < most ? vectors : most, registers = vectors / lanes;
  using Register = typename Lanes<Value, lanes>::Register;
  static_assert(sizeof(Register) == lanes * sizeof(Value) && lanes * registers == vectors);
};

// One row times `vectors` vectors; its entries lie `step` apart. Padding (a negative column) ends a row of a slice.
template <int vectors, std::int64_t step, class Value, class Index>
SPARSECAST_SET void sum_row(const Value* values, const Index* columns, std::int64_t count, const Value* x, Value* y,
                            const BlockTask<Value>& task) {
  using T = Tile<Value, vectors>;
  using Register = typename T::Register;
  Register sums[T::registers] = {};
  for (std::int64_t k = 0; k < count; ++k) {
    const Index column = columns[k * step];
    if constexpr (step > 1)
      if (column < 0) break;
    const Value* from = x + static_cast<std::int64_t>(column) * task.x_stride;
    const Value value = values[k * step];
    for (int r = 0; r < T::registers; ++r) {
      Register of_x;
      __builtin_memcpy(&of_x, from + r * T::lanes, sizeof of_x);
      sums[r] += value * of_x;
    }
  }
  if (task.y_vector == 1) {
    for (int r = 0; r < T::registers; ++r) {
      Register result = task.alpha * sums[r];
      if (task.beta != 0) {
        Register before;
        __builtin_memcpy(&before, y + r * T::lanes, sizeof before);
        result += task.beta * before;
      }
      __builtin_memcpy(y + r * T::lanes, &result, sizeof result);
    }
    return;
  }
  Value out[vectors];
  __builtin_memcpy(out, sums, sizeof out);
  for (int v = 0; v < vectors; ++v) {
    Value& to = y[v * task.y_vector];
    to = task.beta == 0 ? task.alpha * out[v] : task.alpha * out[v] + task.beta * to;
  }
}

template <int vectors, class Value, class Offset, class Index>
SPARSECAST_SET void sum_rows(const CsrArrays<Value, Offset, Index>& csr, std::int64_t first, std::int64_t last,
                             const BlockTask<Value>& task, std::int64_t v) {
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t begin = csr.row_pointers[row], count = csr.row_pointers[row + 1] - begin;
    if (v == 0)
      for (std::int64_t k = 0; k < count; k += 8)
        prefetch_stream(csr.values + begin + k, csr.column_indices + begin + k);
    sum_row<vectors, 1>(csr.values + begin, csr.column_indices + begin, count, task.x + v,
                        task.y + row * task.y_row + v * task.y_vector, task);
  }
}

template <class Value, class Offset, class Index>
SPARSECAST_SET_ENTRY void rows(const CsrArrays<Value, Offset, Index>& csr, std::int64_t first, std::int64_t last,
                               const BlockTask<Value>& task) {
  for (std::int64_t begin = first; begin < last; begin += rows_at_once) {
    const std::int64_t end = begin + rows_at_once < last ? begin + rows_at_once : last;
    std::int64_t v = 0;
    for (; v + 16 <= task.vectors; v += 16) sum_rows<16>(csr, begin, end, task, v);
    if (v + 8 <= task.vectors) sum_rows<8>(csr, begin, end, task, v), v += 8;
    if (v + 4 <= task.vectors) sum_rows<4>(csr, begin, end, task, v), v += 4;
    if (v + 2 <= task.vectors) sum_rows<2>(csr, begin, end, task, v), v += 2;
    if (v < task.vectors) sum_rows<1>(csr, begin, end, task, v);
  }
}

template <int vectors, class Value, class Index>
SPARSECAST_SET void sum_slice_rows(const Value* values, const Index* columns, std::int64_t width, const Index* places,
                                   std::int64_t count, const BlockTask<Value>& task, std::int64_t v) {
  for (std::int64_t i = 0; i < count; ++i)
    sum_row<vectors, sell_lanes>(values + i, columns + i, width, task.x + v,
                                 task.y + places[i] * task.y_row + v * task.y_vector, task);
}

template <class Value, class Index>
SPARSECAST_SET_ENTRY void slice(const Value* values, const Index* columns, std::int64_t width, const Index* places,
                                std::int64_t count, const BlockTask<Value>& task) {
  for (std::int64_t k = 0; k < width; ++k) prefetch_stream(values + k * sell_lanes, columns + k * sell_lanes);
  std::int64_t v = 0;
  for (; v + 16 <= task.vectors; v += 16) sum_slice_rows<16>(values, columns, width, places, count, task, v);
  if (v + 8 <= task.vectors) sum_slice_rows<8>(values, columns, width, places, count, task, v), v += 8;
  if (v + 4 <= task.vectors) sum_slice_rows<4>(values, columns, width, places, count, task, v), v += 4;
  if (v + 2 <= task.vectors) sum_slice_rows<2>(values, columns, width, places, count, task, v), v += 2;
  if (v < task.vectors) sum_slice_rows<1>(values, columns, width, places, count, task, v);
}
