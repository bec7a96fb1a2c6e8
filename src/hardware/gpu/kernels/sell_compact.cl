// sell-compact: sell.cl with fewer bytes a slot (formats/sell_compact.hpp). COMPACT is the kernel's name, STORED how
// values are: 0 one for all, 1 codes of a byte into a table, 2 float, 3 as they are. Columns of a window of 1,024 rows
// are 16-bit distances from its base, or 32 bits where that is −1: all of a slice alike, so that no warp diverges.

#if STORED == 0
#define COMPACT_TYPE unsigned char
#define COMPACT_VALUE(slot) (first)
#elif STORED == 1
#define COMPACT_TYPE unsigned char
#define COMPACT_VALUE(slot) (table[values[slot]])
#elif STORED == 2
#define COMPACT_TYPE float
#define COMPACT_VALUE(slot) ((VALUE)values[slot])
#else
#define COMPACT_TYPE VALUE
#define COMPACT_VALUE(slot) (values[slot])
#endif

KERNEL(COMPACT)
(WIDE rows, WIDE slice_rows, WIDE window_slices, GLOBAL const WIDE* RESTRICT slice_pointers,
 GLOBAL const int* RESTRICT permutation, GLOBAL const int* RESTRICT bases, GLOBAL const WIDE* RESTRICT shifts,
 GLOBAL const unsigned short* RESTRICT near_columns, GLOBAL const int* RESTRICT far_columns,
 GLOBAL const VALUE* RESTRICT table, GLOBAL const COMPACT_TYPE* RESTRICT stored, GLOBAL const VALUE* RESTRICT x,
 GLOBAL VALUE* RESTRICT y) {
  for (WIDE position = GROUP_ID() * GROUP + LOCAL_ID(); position < rows; position += GROUP_COUNT() * GROUP) {
    const WIDE slice = position / slice_rows, window = slice / window_slices;
    const WIDE begin = slice_pointers[slice] + position % slice_rows;
    const int slots = (int)(slice_pointers[slice + 1] - slice_pointers[slice]), step = (int)slice_rows;
    const int base = bases[window];
#if STORED == 0
    const VALUE first = table[0];
#else
    GLOBAL const COMPACT_TYPE* values = stored + begin;
#endif
    VALUE sum = 0;
    if (base < 0) {
      GLOBAL const int* columns = far_columns + (begin - shifts[window]);
#pragma unroll 4
      for (int slot = 0; slot < slots; slot += step) {
        const int column = columns[slot];
        const VALUE value = COMPACT_VALUE(slot);
        if (column >= 0) sum += value * x[column];
      }
    } else {
      GLOBAL const unsigned short* columns = near_columns + (begin - shifts[window]);
      GLOBAL const VALUE* from = x + base;
#pragma unroll 4
      for (int slot = 0; slot < slots; slot += step) {
        const int column = columns[slot];
        const VALUE value = COMPACT_VALUE(slot);
        if (column != 0xffff) sum += value * from[column];
      }
    }
    y[permutation[position]] = sum;
  }
}

#undef COMPACT_TYPE
#undef COMPACT_VALUE
