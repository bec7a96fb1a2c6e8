// csr-stream: a group has ROWS neighbouring rows, whose entries it reads side by side, two a thread and whatever row
// they are of, and keeps their products in local memory; then GROUP / ROWS threads add up each row (Greathouse & Daga
// 2014). Rows beyond one tile go on in the next, in the same threads.

#ifndef STREAM_TILE
#define STREAM_TILE (8 * GROUP)
#endif

KERNEL(csr_stream)
(WIDE rows, WIDE nonzeros, WIDE group_rows, GLOBAL const OFFSET* RESTRICT row_pointers,
 GLOBAL const int* RESTRICT columns, GLOBAL const VALUE* RESTRICT values, GLOBAL const VALUE* RESTRICT x,
 GLOBAL VALUE* RESTRICT y) {
  LOCAL_ARRAY(VALUE, products, STREAM_TILE);
  const int lanes = GROUP / (int)group_rows, lane = LOCAL_ID() % lanes;
  for (WIDE first = GROUP_ID() * group_rows; first < rows; first += GROUP_COUNT() * group_rows) {
    const WIDE row = first + LOCAL_ID() / lanes;
    const OFFSET stop = row_pointers[first + group_rows < rows ? first + group_rows : rows];
    const OFFSET begin = row < rows ? row_pointers[row] : stop, end = row < rows ? row_pointers[row + 1] : stop;
    VALUE sum = 0;
    // Pairs begin at even entries: one before the group's first, and one behind its last, are products of nobody.
    for (OFFSET tile = row_pointers[first] / 2 * 2; tile < stop; tile += STREAM_TILE) {
      const int count = stop - tile < STREAM_TILE ? (int)(stop - tile) : STREAM_TILE;
      UNROLL_2
      for (int i = 2 * LOCAL_ID(); i < count; i += 2 * GROUP) {
        if (tile + i + 1 < nonzeros) {
          const PAIR(int) column = *(GLOBAL const PAIR(int)*)(columns + tile + i);
          const PAIR(VALUE) value = *(GLOBAL const PAIR(VALUE)*)(values + tile + i);
          products[i] = value.x * x[column.x];
          products[i + 1] = value.y * x[column.y];
        } else {
          products[i] = values[tile + i] * x[columns[tile + i]];
        }
      }
      BARRIER();
      const int from = begin > tile ? (int)(begin - tile < count ? begin - tile : count) : 0;
      const int to = end > tile ? (int)(end - tile < count ? end - tile : count) : 0;
      UNROLL_2
      for (int i = from + lane; i < to; i += lanes) sum += products[i];
      BARRIER();
    }
    sum = sum_of_lanes(sum, lanes, products);
    if (lane == 0 && row < rows) y[row] = sum;
  }
}
