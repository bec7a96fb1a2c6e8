// csr-tiles: tiles of whole rows, as many as ROW_TILE entries and GROUP rows hold, found when the matrix is prepared
// (CSR-Adaptive: Greathouse & Daga 2014). A group reads a tile's entries side by side, whatever row they are of; as many
// threads add up each row as the tile has for it, and a warp those much longer than its others. A row longer than a tile
// is cut in tiles of its own: whichever of its groups ends last adds up their sums, in the order of the tiles, so that
// the result is the same every time. One launch does it all, and no group waits for another.

#ifndef ROW_TILE
#define ROW_TILE_ITEMS 4
#define ROW_TILE (ROW_TILE_ITEMS * GROUP)
#define ROW_STEPS 16  // of a row's threads, beyond which a warp adds it up
// Rows for warps: as many as are longer than so many entries.
#define LONG_ROWS (ROW_TILE / (ROW_STEPS + 1) + 1)
#endif

// tile_rows: the first row of each tile, ~row where it is a part of that row; the end behind the last one.
// tile_starts: its first entry. `arrived` is zero before and after, counted in the first tile of each row that is cut.
KERNEL(csr_tiles)
(WIDE tiles, GLOBAL const int* RESTRICT tile_rows, GLOBAL const OFFSET* RESTRICT tile_starts,
 GLOBAL const OFFSET* RESTRICT row_pointers, GLOBAL const int* RESTRICT columns, GLOBAL const VALUE* RESTRICT values,
 GLOBAL const VALUE* RESTRICT x, GLOBAL VALUE* RESTRICT y, GLOBAL VALUE* parts, GLOBAL int* arrived) {
  LOCAL_ARRAY(VALUE, products, ROW_TILE);
  LOCAL_ARRAY(VALUE, partial, GROUP);
  LOCAL_ARRAY(VALUE, warps, GROUP / WARP);  // their sums, of a group that has one row
  LOCAL_ARRAY(int, long_rows, LONG_ROWS);
  LOCAL_ARRAY(int, long_starts, LONG_ROWS);
  LOCAL_ARRAY(int, long_ends, LONG_ROWS);
  LOCAL_ARRAY(int, counts, 2);  // of long rows; of parts to add up, where this group is the last of its row
  const int id = LOCAL_ID();
  for (WIDE tile = GROUP_ID(); tile < tiles; tile += GROUP_COUNT()) {
    const int named = tile_rows[tile], next = tile_rows[tile + 1];
    const OFFSET start = tile_starts[tile];
    const int count = (int)(tile_starts[tile + 1] - start);
    const int is_part = named < 0, first = is_part ? ~named : named;
    const int rows = is_part ? 1 : (next < 0 ? ~next : next) - first;
    int column[ROW_TILE_ITEMS];
    VALUE value[ROW_TILE_ITEMS];
    UNROLL
    for (int k = 0; k < ROW_TILE_ITEMS; ++k) {
      const int i = id + k * GROUP;
      if (i < count) {
        column[k] = LOAD_ONCE(columns + start + i);
        value[k] = LOAD_ONCE(values + start + i);
      }
    }
    // Threads for each row: a power of two, by shifts since a division takes as long as a dozen other instructions.
    int shift = 0;
    while ((2 << shift) <= WARP && (rows << (shift + 1)) <= GROUP) ++shift;
    const int lanes = 1 << shift, lane = id & (lanes - 1), row = id >> shift;
    // Read whether or not there is such a row, so that it is asked for before any of x has come.
    const OFFSET row_begin = row_pointers[first + (row < rows ? row : rows)];
    const OFFSET row_end = row_pointers[first + (row < rows ? row + 1 : rows)];
    if (id < 2) counts[id] = 0;
    VALUE sum = 0;
    UNROLL
    for (int k = 0; k < ROW_TILE_ITEMS; ++k) {
      const int i = id + k * GROUP;
      const VALUE product = i < count ? value[k] * x[column[k]] : 0;
      products[i] = product;
      sum += product;
    }
    BARRIER();

    const int from = rows > 1 ? (int)(row_begin - start) : 0, to = rows > 1 ? (int)(row_end - start) : 0;
    const int is_long = to - from > ROW_STEPS * lanes;
    if (rows > 1) sum = 0;
    if (is_long && lane == 0) {
      const int place = NEXT_OF(counts);  // in which order they come changes no sum
      long_rows[place] = first + row;
      long_starts[place] = from;
      long_ends[place] = to;
    }
    if (!is_long) {
      int i = from + lane;
      for (; i + lanes < to; i += 2 * lanes) {
        sum += products[i];
        sum += products[i + lanes];
      }
      if (i < to) sum += products[i];
    }
    sum = sum_of_lanes(sum, lanes, partial);
    if (rows > 1 && row < rows && lane == 0 && !is_long) y[first + row] = sum;
    if (rows == 1 && lane == 0) warps[row] = sum;
    BARRIER();

    if (rows == 1 && id == 0) {
      for (int warp = 1; warp < GROUP / WARP; ++warp) sum += warps[warp];
      if (is_part) {
        const OFFSET begin = row_pointers[first];
        const int of_row = (int)((row_pointers[first + 1] - begin + ROW_TILE - 1) / ROW_TILE);
        parts[tile] = sum;
        FENCE();
        if (NEXT_OF(arrived + (tile - (WIDE)((start - begin) / ROW_TILE))) == of_row - 1) counts[1] = of_row;
      } else {
        y[first] = sum;
      }
    }
    const int long_count = counts[0];
    for (int turn = 0; turn < long_count; turn += GROUP / WARP) {
      const int place = turn + id / WARP;
      VALUE long_sum = 0;
      if (place < long_count) {
        UNROLL_2
        for (int i = long_starts[place] + id % WARP; i < long_ends[place]; i += WARP) long_sum += products[i];
      }
      long_sum = sum_of_lanes(long_sum, WARP, partial);
      if (id % WARP == 0 && place < long_count) y[long_rows[place]] = long_sum;
    }
    BARRIER();

    const int part_count = counts[1];
    for (int turn = 0; turn < part_count; turn += part_count) {
      const WIDE first_tile = tile - (WIDE)((start - row_pointers[first]) / ROW_TILE);
      FENCE();
      VALUE of_parts = 0;
      for (int part = id; part < part_count; part += GROUP)
        of_parts += *(GLOBAL const volatile VALUE*)(parts + first_tile + part);
      of_parts = sum_of_group(of_parts, partial);
      if (id == 0) {
        y[first] = of_parts;
        arrived[first_tile] = 0;
      }
    }
    BARRIER();
  }
}
