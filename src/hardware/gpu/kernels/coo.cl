// coo: segmented reduction over the non-zeros, whatever the rows (Bell & Garland 2009, section 4.3). Every group takes
// an equal share of the non-zeros in tiles of TILE; a thread adds up ITEMS consecutive ones, rows that end within are
// written, and what is left over is carried on: within the group at once, between groups by add_carries. y must hold
// the product's start (zero, or the regular part of hyb). A row ends in exactly one thread, so nothing is written twice.

KERNEL(coo)
(WIDE nonzeros, WIDE tiles_per_group, GLOBAL const int* RESTRICT row_indices, GLOBAL const int* RESTRICT columns,
 GLOBAL const VALUE* RESTRICT values, GLOBAL const VALUE* RESTRICT x, GLOBAL VALUE* RESTRICT y,
 GLOBAL int* RESTRICT carry_rows, GLOBAL VALUE* RESTRICT carries) {
  LOCAL_ARRAY(VALUE, products, TILE);
  LOCAL_ARRAY(int, tile_rows, TILE + 1);
  LOCAL_ARRAY(VALUE, sums, GROUP);
  LOCAL_ARRAY(int, ends, GROUP);
  VALUE group_carry = 0;
  int carry_row = -1;
  const WIDE tiles = (nonzeros + TILE - 1) / TILE;
  const WIDE first_tile = GROUP_ID() * tiles_per_group;
  for (WIDE tile = first_tile; tile < first_tile + tiles_per_group && tile < tiles; ++tile) {
    const WIDE begin = tile * TILE;
    const int count = nonzeros - begin < TILE ? (int)(nonzeros - begin) : TILE;
    UNROLL
    for (int k = 0; k < ITEMS; ++k)
      if (LOCAL_ID() + k * GROUP < count)
        tile_rows[LOCAL_ID() + k * GROUP] = LOAD_ONCE(row_indices + begin + LOCAL_ID() + k * GROUP);
    products_of_tile(products, begin, count, columns, values, x);
    // The row after the tile tells whether the tile's last row ends with it.
    if (LOCAL_ID() == 0) tile_rows[count] = begin + count < nonzeros ? row_indices[begin + count] : -1;
    BARRIER();
    VALUE sum = 0, first_sum = 0;
    int first_row = -1;
    const int stop = (LOCAL_ID() + 1) * ITEMS < count ? (LOCAL_ID() + 1) * ITEMS : count;
    for (int i = LOCAL_ID() * ITEMS; i < stop; ++i) {
      sum += products[i];
      if (tile_rows[i] != tile_rows[i + 1]) {
        if (first_row < 0) {
          first_row = tile_rows[i];
          first_sum = sum;
        } else {
          y[tile_rows[i]] += sum;
        }
        sum = 0;
      }
    }
    const VALUE before = carry_into_thread(sums, ends, sum, first_row >= 0, &group_carry);
    if (first_row >= 0) y[first_row] += before + first_sum;
    carry_row = tile_rows[count - 1];
    BARRIER();
  }
  if (LOCAL_ID() == 0) {
    carry_rows[GROUP_ID()] = carry_row;
    carries[GROUP_ID()] = group_carry;
  }
}
