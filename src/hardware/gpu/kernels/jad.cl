// jad: one thread per row of the rows sorted by length, longest first; jagged diagonal d holds the d-th non-zero of
// every row that has one, without padding (Li & Saad 2013, section 2.2).

KERNEL(jad)
(WIDE rows, WIDE diagonals, GLOBAL const WIDE* RESTRICT diagonal_pointers, GLOBAL const int* RESTRICT permutation,
 GLOBAL const int* RESTRICT columns, GLOBAL const VALUE* RESTRICT values, GLOBAL const VALUE* RESTRICT x,
 GLOBAL VALUE* RESTRICT y) {
  for (WIDE position = GROUP_ID() * GROUP + LOCAL_ID(); position < rows; position += GROUP_COUNT() * GROUP) {
    VALUE sum = 0;
    WIDE begin = diagonals > 0 ? diagonal_pointers[0] : 0;
    for (WIDE d = 0; d < diagonals; ++d) {
      const WIDE end = diagonal_pointers[d + 1];
      const WIDE slot = begin + position;
      if (slot >= end) break;
      sum += values[slot] * x[columns[slot]];
      begin = end;
    }
    y[permutation[position]] = sum;
  }
}
