// The loops of many_vectors.cpp for one instruction set. Included once for each, with SPARSECAST_SET, its attribute,
// SPARSECAST_SET_STEP, that of steps, and SPARSECAST_SET_BYTES, the width of its registers. (Vector types are taken
// apart where a function is written and not where it is inlined, so a text that several sets share would be that of the
// narrowest.) No #pragma once.

// Place i of what may have no entries at all, and then stands nowhere.
template <class Value>
SPARSECAST_SET const Value* place(const Value* begin, std::int64_t i, std::int64_t entries) {
  return entries == 0 ? begin : begin + i;
}

// Sums of `vectors` neighbouring vectors in registers.
template <class Value, int vectors>
struct Tile {
  static constexpr int most = SPARSECAST_SET_BYTES / static_cast<int>(sizeof(Value));
  static constexpr int lanes = vectors < most ? vectors : most, registers = vectors / lanes;
  // Sums of a long row, so that four additions are under way at once. A shorter row than so many entries is done sooner
  // in one.
  static constexpr int long_row = 8;
  static constexpr int ways = registers < 4 ? 4 / registers : 1;
  using Register = typename Lanes<Value, lanes>::Register;
  static_assert(sizeof(Register) == lanes * sizeof(Value) && lanes * registers == vectors);
};

template <int vectors>
struct Width {};
// Each tile of so many vectors, and the first of its vectors.
template <class Body>
SPARSECAST_SET void each_tile(std::int64_t vectors, const Body& body) {
  std::int64_t v = 0;
  for (; v + 16 <= vectors; v += 16) body(Width<16>{}, v);
  if (v + 8 <= vectors) body(Width<8>{}, v), v += 8;
  if (v + 4 <= vectors) body(Width<4>{}, v), v += 4;
  if (v + 2 <= vectors) body(Width<2>{}, v), v += 2;
  if (v < vectors) body(Width<1>{}, v);
}

// Written past the caches, to a place that is a multiple of its size.
template <class Register, class Value>
SPARSECAST_SET void put_past_caches(const Register& result, Value* y) {
#if SPARSECAST_X86
  if constexpr (sizeof(Register) == 16) {
    __m128i bits;
    __builtin_memcpy(&bits, &result, sizeof bits);
    _mm_stream_si128(reinterpret_cast<__m128i*>(y), bits);
    return;
  }
#if SPARSECAST_SET_BYTES >= 32
  if constexpr (sizeof(Register) == 32) {
    __m256i bits;
    __builtin_memcpy(&bits, &result, sizeof bits);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(y), bits);
    return;
  }
#endif
#if SPARSECAST_SET_BYTES >= 64
  if constexpr (sizeof(Register) == 64) {
    __m512i bits;
    __builtin_memcpy(&bits, &result, sizeof bits);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(y), bits);
    return;
  }
#endif
#endif
  __builtin_memcpy(y, &result, sizeof result);
}

// A row of y from the sums of its vectors.
template <int vectors, Ending ending, class Value>
SPARSECAST_SET void put_sums(const typename Tile<Value, vectors>::Register* sums, Value* y,
                             const BlockTask<Value>& task) {
  using T = Tile<Value, vectors>;
  using Register = typename T::Register;
  if constexpr (ending != Ending::any) {
    for (int r = 0; r < T::registers; ++r) {
      const Register result = task.alpha * sums[r];
      if constexpr (ending == Ending::past_caches)
        put_past_caches(result, y + r * T::lanes);
      else
        __builtin_memcpy(y + r * T::lanes, &result, sizeof result);
    }
    return;
  }
  if (task.past_caches) return put_sums<vectors, Ending::past_caches>(sums, y, task);
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

// Adds an entry's value times its row of x.
template <int vectors, class Value>
SPARSECAST_SET void add_entry(Value value, const Value* x, typename Tile<Value, vectors>::Register* sums) {
  using T = Tile<Value, vectors>;
  for (int r = 0; r < T::registers; ++r) {
    typename T::Register of_x;
    __builtin_memcpy(&of_x, x + r * T::lanes, sizeof of_x);
    sums[r] += value * of_x;
  }
}

template <class Value, class Index>
SPARSECAST_SET const Value* row_of_x(const Value* x, Index column, const BlockTask<Value>& task) {
  return x + static_cast<std::int64_t>(column) * task.x_stride;
}

// One row times `vectors` vectors; its entries lie `step` apart. Padding (a negative column) ends a row of a slice.
template <int vectors, bool padded, Ending ending, class Value, class Index>
SPARSECAST_SET void sum_row(const Value* values, const Index* columns, std::int64_t count, std::int64_t step,
                            const Value* x, Value* y, const BlockTask<Value>& task) {
  using T = Tile<Value, vectors>;
  typename T::Register sums[T::registers] = {};
  std::int64_t k = 0;
  if (T::ways > 1 && count >= T::long_row) [[unlikely]] {
    typename T::Register parts[T::ways][T::registers] = {};
    for (; k + T::ways <= count && (!padded || columns[(k + T::ways - 1) * step] >= 0); k += T::ways) {
      if constexpr (!padded) prefetch_stream(values + k, columns + k);
      for (int way = 0; way < T::ways; ++way)
        add_entry<vectors>(values[(k + way) * step], row_of_x(x, columns[(k + way) * step], task), parts[way]);
    }
    for (int way = 0; way < T::ways; ++way)
      for (int r = 0; r < T::registers; ++r) sums[r] += parts[way][r];
  }
  for (; k < count && (!padded || columns[k * step] >= 0); ++k)
    add_entry<vectors>(values[k * step], row_of_x(x, columns[k * step], task), sums);
  put_sums<vectors, ending>(sums, y, task);
}

template <int vectors, Ending ending, class Value, class Offset, class Index>
SPARSECAST_SET void sum_rows(CsrArrays<Value, Offset, Index> csr, std::int64_t first, std::int64_t last,
                             BlockTask<Value> task, std::int64_t v) {
  constexpr std::int64_t line = 64 / sizeof(Value), ahead = prefetch_bytes / sizeof(Value) / vectors;
  const Value* const x = place(task.x, v, csr.cols);
  std::int64_t fetched = v == 0 ? std::int64_t{csr.row_pointers[first]} : csr.row_pointers[last];
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t begin = csr.row_pointers[row], count = csr.row_pointers[row + 1] - begin;
    // The last entry of a row to come: of a band or a mesh the one whose x no row has read before.
    const std::int64_t later = row + ahead;
    if (ending != Ending::near && task.far_vectors && later < csr.rows &&
        csr.row_pointers[later] < csr.row_pointers[later + 1])
      for (std::int64_t at = 0; at < vectors; at += line)
        prefetch(x + static_cast<std::int64_t>(csr.column_indices[csr.row_pointers[later + 1] - 1]) * task.x_stride +
                 at);
    // A long row asks as it goes, for a short one eight entries will do. A loop here, whose turns nobody can foresee,
    // cost up to a quarter of a product (blogcatalog3, single, Granite Rapids guest: 578 against 458 µs).
    using T = Tile<Value, vectors>;
    const std::int64_t end = begin + count;
    if constexpr (T::ways == 1)
      for (; fetched < end; fetched += 8) prefetch_stream(csr.values + fetched, csr.column_indices + fetched);
    else if (count >= T::long_row)
      fetched = fetched < end ? end : fetched;
    else if (fetched < end)
      prefetch_stream(csr.values + fetched, csr.column_indices + fetched), fetched += 8;
    sum_row<vectors, false, ending>(csr.values + begin, csr.column_indices + begin, count, 1, x,
                                    task.y + row * task.y_row + v * task.y_vector, task);
  }
}

template <Ending ending, class Value, class Offset, class Index>
SPARSECAST_SET void rows_of(const CsrArrays<Value, Offset, Index>& csr, std::int64_t first, std::int64_t last,
                            const BlockTask<Value>& task) {
  for (std::int64_t begin = first; begin < last; begin += rows_at_once) {
    const std::int64_t end = begin + rows_at_once < last ? begin + rows_at_once : last;
    each_tile(task.vectors, [&]<int vectors>(Width<vectors>, std::int64_t v)
                                SPARSECAST_SET_STEP { sum_rows<vectors, ending>(csr, begin, end, task, v); });
  }
}

template <class Value, class Offset, class Index>
SPARSECAST_SET_ENTRY void rows(const CsrArrays<Value, Offset, Index>& csr, std::int64_t first, std::int64_t last,
                               const BlockTask<Value>& task) {
  const Ending ending = ending_of(task);
  if (ending == Ending::near) return rows_of<Ending::near>(csr, first, last, task);
  if (ending == Ending::past_caches) return rows_of<Ending::past_caches>(csr, first, last, task);
  rows_of<Ending::any>(csr, first, last, task);
}

template <int vectors, Ending ending, class Value, class Index>
SPARSECAST_SET void sum_slice_rows(BlockSlice<Value, Index> s, BlockTask<Value> task, std::int64_t v) {
  for (std::int64_t i = 0; i < s.rows; ++i) {
    const std::int64_t row = s.places == nullptr ? s.first_row + i : static_cast<std::int64_t>(s.places[i]);
    sum_row<vectors, true, ending>(place(s.values, i, s.width), place(s.columns, i, s.width), s.width, s.lanes,
                                   place(task.x, v, s.width), task.y + row * task.y_row + v * task.y_vector, task);
  }
}

template <Ending ending, class Value, class Index>
SPARSECAST_SET void slice_of(const BlockSlice<Value, Index>& s, const BlockTask<Value>& task) {
  each_tile(task.vectors, [&]<int vectors>(Width<vectors>, std::int64_t v)
                              SPARSECAST_SET_STEP { sum_slice_rows<vectors, ending>(s, task, v); });
}

template <class Value, class Index>
SPARSECAST_SET_ENTRY void slice(const BlockSlice<Value, Index>& s, const BlockTask<Value>& task) {
  for (std::int64_t slot = 0; slot < s.width * s.lanes; slot += 8) prefetch_stream(s.values + slot, s.columns + slot);
  const Ending ending = ending_of(task);
  if (ending == Ending::near) return slice_of<Ending::near>(s, task);
  if (ending == Ending::past_caches) return slice_of<Ending::past_caches>(s, task);
  slice_of<Ending::any>(s, task);
}

// A row of a slice of DIA, whose slots on the diagonals lie a slice's rows apart. Padding is left out: x may not have
// such an entry.
template <int vectors, class Value>
SPARSECAST_SET void sum_diagonals(const Value* values, const std::int64_t* diagonals, std::int64_t count,
                                  const Value* x, Value* y, const BlockTask<Value>& task) {
  using T = Tile<Value, vectors>;
  typename T::Register sums[T::registers] = {};
  for (std::int64_t d = 0; d < count; ++d) {
    const Value value = values[d * dia_lanes];
    if (is_padding(value)) continue;
    add_entry<vectors>(value, x + diagonals[d] * task.x_stride, sums);
  }
  put_sums<vectors, Ending::any>(sums, y, task);
}

template <int vectors, class Value>
SPARSECAST_SET void sum_diagonal_slice(const Value* values, const std::int64_t* diagonals, std::int64_t count,
                                       std::int64_t first_row, std::int64_t rows, BlockTask<Value> task,
                                       std::int64_t v) {
  constexpr std::int64_t line = 64 / sizeof(Value);
  for (std::int64_t i = 0; i < rows; ++i) {
    // The other diagonals come to these entries of x later.
    if (count > 0)
      for (std::int64_t at = 0; at < vectors; at += line)
        prefetch(task.x + (first_row + i + diagonals[count - 1]) * task.x_stride + v + at, prefetch_bytes);
    sum_diagonals<vectors>(place(values, i, count), diagonals, count,
                           place(task.x, (first_row + i) * task.x_stride + v, count),
                           task.y + (first_row + i) * task.y_row + v * task.y_vector, task);
  }
}

template <class Value>
SPARSECAST_SET_ENTRY void diagonal_slice(const Value* values, const std::int64_t* diagonals, std::int64_t count,
                                         std::int64_t first_row, std::int64_t rows, const BlockTask<Value>& task) {
  for (std::int64_t d = 0; d < count; ++d) prefetch(values + d * dia_lanes, prefetch_bytes);
  each_tile(task.vectors, [&]<int vectors>(Width<vectors>, std::int64_t v) SPARSECAST_SET_STEP {
    sum_diagonal_slice<vectors>(values, diagonals, count, first_row, rows, task, v);
  });
}

// Rows of a group of BSR, whose blocks lie column by column.
template <int vectors, class Value, class Index>
SPARSECAST_SET void sum_block_rows(BlockRowGroup<Value, Index> group, BlockTask<Value> task, std::int64_t v) {
  using T = Tile<Value, vectors>;
  for (int i = 0; i < group.rows; ++i) {
    typename T::Register sums[T::registers] = {};
    const Value* values = place(group.values, i, group.blocks);
    for (std::int64_t b = 0; b < group.blocks; ++b) {
      const Value* from = task.x + static_cast<std::int64_t>(group.columns[b]) * task.x_stride + v;
      for (int j = 0; j < group.width; ++j, values += group.height, from += task.x_stride) {
        const Value value = *values;
        if (is_padding(value)) continue;
        add_entry<vectors>(value, from, sums);
      }
    }
    put_sums<vectors, Ending::any>(sums, task.y + (group.first_row + i) * task.y_row + v * task.y_vector, task);
  }
}

template <class Value, class Index>
SPARSECAST_SET_ENTRY void block_group(const BlockRowGroup<Value, Index>& group, const BlockTask<Value>& task) {
  const std::int64_t slots = group.blocks * group.height * group.width, line = 64 / sizeof(Value);
  for (std::int64_t slot = 0; slot < slots; slot += line) prefetch(group.values + slot, prefetch_bytes);
  each_tile(task.vectors, [&]<int vectors>(Width<vectors>, std::int64_t v)
                              SPARSECAST_SET_STEP { sum_block_rows<vectors>(group, task, v); });
}
