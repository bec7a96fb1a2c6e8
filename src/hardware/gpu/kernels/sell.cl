// sell: one thread per row of SELL-C-σ (Kreutzer et al. 2014): slices of SLICE rows, each padded to its own longest
// row and stored column by column. The permutation leads from the sorted position to the row of the matrix.

KERNEL(sell)
(WIDE rows, WIDE slice_rows, GLOBAL const WIDE* RESTRICT slice_pointers, GLOBAL const int* RESTRICT permutation,
 GLOBAL const int* RESTRICT columns, GLOBAL const VALUE* RESTRICT values, GLOBAL const VALUE* RESTRICT x,
 GLOBAL VALUE* RESTRICT y) {
  for (WIDE position = GROUP_ID() * GROUP + LOCAL_ID(); position < rows; position += GROUP_COUNT() * GROUP) {
    const WIDE slice = position / slice_rows;
    const WIDE end = slice_pointers[slice + 1];
    VALUE sum = 0;
    // Unrolled, and the value read before the column is known to be real: several loads are then on their way at once.
#pragma unroll 4
    for (WIDE slot = slice_pointers[slice] + position % slice_rows; slot < end; slot += slice_rows) {
      const int column = columns[slot];
      const VALUE value = values[slot];
      if (column >= 0) sum += value * x[column];
    }
    y[permutation[position]] = sum;
  }
}
