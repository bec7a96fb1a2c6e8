// csr-merge: equal work per thread over rows + non-zeros, however long the rows are (Merrill & Garland 2016). The list
// of row ends and the list of non-zeros are merged; a tile is TILE items of the merged list, a thread walks ITEMS of
// them. Where each tile begins is found once, when the matrix is prepared (tile_rows: rows finished before the tile).
// Every row, empty or not, ends in exactly one thread and is written there; add_carries adds what came from groups
// before.

KERNEL(csr_merge)
(WIDE rows, WIDE nonzeros, WIDE tiles_per_group, GLOBAL const int* RESTRICT tile_rows,
 GLOBAL const OFFSET* RESTRICT row_pointers, GLOBAL const int* RESTRICT columns, GLOBAL const VALUE* RESTRICT values,
 GLOBAL const VALUE* RESTRICT x, GLOBAL VALUE* RESTRICT y, GLOBAL int* RESTRICT carry_rows,
 GLOBAL VALUE* RESTRICT carries) {
  LOCAL_ARRAY(VALUE, products, TILE);
  LOCAL_ARRAY(int, row_ends, TILE);
  LOCAL_ARRAY(VALUE, sums, GROUP);
  LOCAL_ARRAY(int, ends, GROUP);
  VALUE group_carry = 0;
  WIDE carry_row = rows;
  const WIDE items = rows + nonzeros;
  const WIDE tiles = (items + TILE - 1) / TILE;
  const WIDE first_tile = GROUP_ID() * tiles_per_group;
  for (WIDE tile = first_tile; tile < first_tile + tiles_per_group && tile < tiles; ++tile) {
    const WIDE begin = tile * TILE;
    const int count = items - begin < TILE ? (int)(items - begin) : TILE;
    const WIDE first_row = tile_rows[tile];
    const WIDE first_nonzero = begin - first_row;
    const int tile_row_count = (int)(tile_rows[tile + 1] - first_row);
    const int tile_nonzeros = count - tile_row_count;
    for (int i = LOCAL_ID(); i < tile_row_count; i += GROUP)
      row_ends[i] = (int)(row_pointers[first_row + i + 1] - first_nonzero);
    products_of_tile(products, first_nonzero, tile_nonzeros, columns, values, x);
    BARRIER();

    // The thread's first point on the merge path: `row` rows finished, `nonzero` non-zeros consumed.
    const int diagonal = LOCAL_ID() * ITEMS < count ? LOCAL_ID() * ITEMS : count;
    const int stop = diagonal + ITEMS < count ? diagonal + ITEMS : count;
    int row = diagonal > tile_nonzeros ? diagonal - tile_nonzeros : 0;
    int high = diagonal < tile_row_count ? diagonal : tile_row_count;
    while (row < high) {
      const int middle = (row + high) / 2;
      if (row_ends[middle] + middle + 1 <= diagonal) {
        row = middle + 1;
      } else {
        high = middle;
      }
    }
    int nonzero = diagonal - row;

    VALUE sum = 0, first_sum = 0;
    int first_ended = -1;
    for (int item = diagonal; item < stop; ++item) {
      if (row < tile_row_count && row_ends[row] <= nonzero) {
        if (first_ended < 0) {
          first_ended = row;
          first_sum = sum;
        } else {
          y[first_row + row] = sum;
        }
        sum = 0;
        ++row;
      } else {
        sum += products[nonzero];
        ++nonzero;
      }
    }
    const VALUE before = carry_into_thread(sums, ends, sum, first_ended >= 0, &group_carry);
    if (first_ended >= 0) y[first_row + first_ended] = before + first_sum;
    carry_row = first_row + tile_row_count;
    BARRIER();
  }
  if (LOCAL_ID() == 0) {
    carry_rows[GROUP_ID()] = (int)carry_row;
    carries[GROUP_ID()] = group_carry;
  }
}
