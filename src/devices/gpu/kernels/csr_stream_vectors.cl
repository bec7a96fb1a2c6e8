// csr-stream of several vectors: Y = A·X, both by rows. A group's entries go through local memory once, and a thread
// adds up a row of one vector, so that neighbouring threads read a row of X side by side. A group has GROUP / vectors
// rows; of more than GROUP vectors, GROUP at a time.

#ifndef VECTORS_TILE
#define VECTORS_TILE (4 * GROUP)
#endif

KERNEL(csr_stream_vectors)
(WIDE rows, WIDE vectors, GLOBAL const OFFSET* RESTRICT row_pointers, GLOBAL const int* RESTRICT columns,
 GLOBAL const VALUE* RESTRICT values, GLOBAL const VALUE* RESTRICT x, GLOBAL VALUE* RESTRICT y) {
  LOCAL_ARRAY(int, tile_columns, VECTORS_TILE);
  LOCAL_ARRAY(VALUE, tile_values, VECTORS_TILE);
  const int across = vectors < GROUP ? (int)vectors : GROUP, group_rows = GROUP / across;
  for (WIDE first = GROUP_ID() * group_rows; first < rows; first += GROUP_COUNT() * group_rows) {
    const WIDE row = first + LOCAL_ID() / across;
    const OFFSET start = row_pointers[first],
                 stop = row_pointers[first + group_rows < rows ? first + group_rows : rows];
    const int works = LOCAL_ID() < across * group_rows && row < rows;
    const OFFSET begin = works ? row_pointers[row] : stop, end = works ? row_pointers[row + 1] : stop;
    for (WIDE round = 0; round < vectors; round += across) {
      const WIDE vector = round + LOCAL_ID() % across;
      VALUE sum = 0;
      for (OFFSET tile = start; tile < stop; tile += VECTORS_TILE) {
        const int count = stop - tile < VECTORS_TILE ? (int)(stop - tile) : VECTORS_TILE;
        for (int i = LOCAL_ID(); i < count; i += GROUP) {
          tile_columns[i] = columns[tile + i];
          tile_values[i] = values[tile + i];
        }
        BARRIER();
        const int from = begin > tile ? (int)(begin - tile < count ? begin - tile : count) : 0;
        const int to = end > tile ? (int)(end - tile < count ? end - tile : count) : 0;
        if (vector < vectors)
          for (int i = from; i < to; ++i) sum += tile_values[i] * x[tile_columns[i] * vectors + vector];
        BARRIER();
      }
      if (works && vector < vectors) y[row * vectors + vector] = sum;
    }
  }
}
