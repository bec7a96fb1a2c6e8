// csr-scalar: one thread per row (Bell & Garland 2009, section 4.2). Neighbouring threads read memory as far apart as
// their rows are long, so it suits very short rows only.

KERNEL(csr_scalar)
(WIDE rows, GLOBAL const OFFSET* RESTRICT row_pointers, GLOBAL const int* RESTRICT columns,
 GLOBAL const VALUE* RESTRICT values, GLOBAL const VALUE* RESTRICT x, GLOBAL VALUE* RESTRICT y) {
  // Strides by the whole grid: the grid may be smaller than the rows (one dimension of a grid is limited).
  for (WIDE row = GROUP_ID() * GROUP + LOCAL_ID(); row < rows; row += GROUP_COUNT() * GROUP) {
    const OFFSET end = row_pointers[row + 1];
    VALUE sum = 0;
    for (OFFSET k = row_pointers[row]; k < end; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}
