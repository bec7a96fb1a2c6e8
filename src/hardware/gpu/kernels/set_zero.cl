// y = 0, before coo adds to it.

KERNEL(set_zero)(WIDE rows, GLOBAL VALUE* RESTRICT y) {
  for (WIDE row = GROUP_ID() * GROUP + LOCAL_ID(); row < rows; row += GROUP_COUNT() * GROUP) y[row] = 0;
}
