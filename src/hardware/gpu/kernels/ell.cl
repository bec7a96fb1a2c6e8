// ell: one thread per row of a matrix padded to one width and stored column by column, so that neighbouring threads
// read neighbouring memory (Bell & Garland 2009, section 4.2). Padded slots have column −1 and are skipped: 0·x would
// be NaN where x is infinite.

KERNEL(ell)
(WIDE rows, WIDE width, GLOBAL const int* RESTRICT columns, GLOBAL const VALUE* RESTRICT values,
 GLOBAL const VALUE* RESTRICT x, GLOBAL VALUE* RESTRICT y) {
  for (WIDE row = GROUP_ID() * GROUP + LOCAL_ID(); row < rows; row += GROUP_COUNT() * GROUP) {
    VALUE sum = 0;
    const WIDE end = width * rows;
    // Unrolled, and the value read before the column is known to be real: several loads are then on their way at once.
#pragma unroll 4
    for (WIDE slot = row; slot < end; slot += rows) {
      const int column = columns[slot];
      const VALUE value = values[slot];
      if (column >= 0) sum += value * x[column];
    }
    y[row] = sum;
  }
}
