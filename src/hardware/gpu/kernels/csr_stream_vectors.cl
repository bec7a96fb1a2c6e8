// csr-stream of several vectors: Y = A·X, both by rows. A group's entries go through local memory once, and a thread
// adds up a row of one vector, so that neighbouring threads read a row of X side by side. A group has GROUP / across
// rows, for `across` of the vectors from `first_vector` on, at most GROUP at a time.

#ifndef VECTORS_TILE
#define VECTORS_TILE (4 * GROUP)
#endif

KERNEL(csr_stream_vectors)
(WIDE rows, WIDE vectors, WIDE first_vector, WIDE across, GLOBAL const OFFSET* RESTRICT row_pointers,
 GLOBAL const int* RESTRICT columns, GLOBAL const VALUE* RESTRICT values, GLOBAL const VALUE* RESTRICT x,
 GLOBAL VALUE* RESTRICT y) {
  LOCAL_ARRAY(int, tile_columns, VECTORS_TILE);
  LOCAL_ARRAY(VALUE, tile_values, VECTORS_TILE);
  const int width = (int)across, group_rows = GROUP / width, own = LOCAL_ID() / width;
  const WIDE vector = first_vector + LOCAL_ID() % width;
  for (WIDE first = GROUP_ID() * group_rows; first < rows; first += GROUP_COUNT() * group_rows) {
    const int here = rows - first < group_rows ? (int)(rows - first) : group_rows;
    const OFFSET stop = row_pointers[first + here];
    const OFFSET begin = row_pointers[first + (own < here ? own : here)];
    const OFFSET end = own < here ? row_pointers[first + own + 1] : stop;
    VALUE sum = 0;
    for (OFFSET tile = row_pointers[first]; tile < stop; tile += VECTORS_TILE) {
      const int count = stop - tile < VECTORS_TILE ? (int)(stop - tile) : VECTORS_TILE;
      KEEP_ROLLED
      for (int i = LOCAL_ID(); i < count; i += GROUP) {
        tile_columns[i] = columns[tile + i];
        tile_values[i] = values[tile + i];
      }
      BARRIER();
      const int from = begin > tile ? (int)(begin - tile < count ? begin - tile : count) : 0;
      const int to = end > tile ? (int)(end - tile < count ? end - tile : count) : 0;
      UNROLL_4
      for (int i = from; i < to; ++i) sum += tile_values[i] * x[tile_columns[i] * vectors + vector];
      BARRIER();
    }
    if (own < here) y[(first + own) * vectors + vector] = sum;
  }
}
