// csr-vector (LANES = a warp) and csr-half (LANES = half a warp): so many neighbouring threads share a row, read it
// side by side and add up at its end (Bell & Garland 2009, section 4.2; Li & Saad 2013, section 2.1).

KERNEL(CSR_LANES)
(WIDE rows, GLOBAL const OFFSET* RESTRICT row_pointers, GLOBAL const int* RESTRICT columns,
 GLOBAL const VALUE* RESTRICT values, GLOBAL const VALUE* RESTRICT x, GLOBAL VALUE* RESTRICT y) {
  LOCAL_ARRAY(VALUE, partial, GROUP);
  const int lane = LOCAL_ID() % LANES;
  // All threads of a group pass the loop equally often: barriers and shuffles need every one of them.
  for (WIDE first = GROUP_ID() * (GROUP / LANES); first < rows; first += GROUP_COUNT() * (GROUP / LANES)) {
    const WIDE row = first + LOCAL_ID() / LANES;
    VALUE sum = 0;
    if (row < rows) {
      const OFFSET end = row_pointers[row + 1];
      for (OFFSET k = row_pointers[row] + lane; k < end; k += LANES) sum += values[k] * x[columns[k]];
    }
    sum = sum_of_lanes(sum, LANES, partial);
    if (lane == 0 && row < rows) y[row] = sum;
  }
}
