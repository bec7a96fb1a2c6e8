// Sums that go on from one thread to the next: what coo and csr-merge share. A thread that walks over consecutive
// non-zeros ends with the beginning of a row that the next thread finishes. Its carry is that sum; `ended` says whether
// any row ended in the thread, which stops carries from before.

#ifndef ITEMS
#define ITEMS 7  // odd: consecutive threads then read different banks of local memory
#define TILE (GROUP * ITEMS)
#endif

// What reaches each thread of the group from those before it (`carry_in`), and from the group's last thread to the next
// tile (*group_carry, which also enters before the first thread). All threads call it; sums and ends hold GROUP each.
FUNCTION VALUE carry_into_thread(LOCAL VALUE* sums, LOCAL int* ends, VALUE carry, int ended, VALUE* group_carry) {
  const int id = LOCAL_ID();
#ifdef SHUFFLE
  // Segmented scan (Sengupta et al. 2007) within a warp by shuffles, then over the warps' last values.
  const int lane = id % WARP;
  for (int distance = 1; distance < WARP; distance *= 2) {
    const int from = lane >= distance ? lane - distance : lane;
    const VALUE before = SHUFFLE(carry, from);
    const int before_ended = SHUFFLE(ended, from);
    if (lane >= distance && !ended) {
      carry += before;
      ended = before_ended;
    }
  }
  if (lane == WARP - 1) {
    sums[id / WARP] = carry;
    ends[id / WARP] = ended;
  }
  const VALUE left_carry = SHUFFLE(carry, lane > 0 ? lane - 1 : 0);
  const int left_ended = SHUFFLE(ended, lane > 0 ? lane - 1 : 0);
  BARRIER();
  VALUE into_warp = *group_carry, through = *group_carry;
  for (int warp = 0; warp < GROUP / WARP; ++warp) {
    if (warp == id / WARP) into_warp = through;
    through = ends[warp] ? sums[warp] : sums[warp] + through;
  }
  *group_carry = through;
  const VALUE into = lane == 0 ? into_warp : left_ended ? left_carry : left_carry + into_warp;
#else
  sums[id] = carry;
  ends[id] = ended;
  BARRIER();
  for (int distance = 1; distance < GROUP; distance *= 2) {
    VALUE before = 0;
    int before_ended = 0;
    if (id >= distance) {
      before = sums[id - distance];
      before_ended = ends[id - distance];
    }
    BARRIER();
    if (id >= distance && !ends[id]) {
      sums[id] += before;
      ends[id] = before_ended;
    }
    BARRIER();
  }
  const VALUE into = id == 0 ? *group_carry : ends[id - 1] ? sums[id - 1] : sums[id - 1] + *group_carry;
  *group_carry = ends[GROUP - 1] ? sums[GROUP - 1] : sums[GROUP - 1] + *group_carry;
#endif
  BARRIER();
  return into;
}

// The products of a tile's `count` non-zeros, from `first` on. All loads of a thread are on their way before any of x is
// asked for: on an H100 that halves the time of short rows. Matrices are read once, so they do not push x out of a cache.
FUNCTION void products_of_tile(LOCAL VALUE* products, WIDE first, int count, GLOBAL const int* RESTRICT columns,
                               GLOBAL const VALUE* RESTRICT values, GLOBAL const VALUE* RESTRICT x) {
  int column[ITEMS];
  VALUE value[ITEMS];
  UNROLL
  for (int k = 0; k < ITEMS; ++k) {
    const int i = LOCAL_ID() + k * GROUP;
    if (i < count) {
      column[k] = LOAD_ONCE(columns + first + i);
      value[k] = LOAD_ONCE(values + first + i);
    }
  }
  UNROLL
  for (int k = 0; k < ITEMS; ++k) {
    const int i = LOCAL_ID() + k * GROUP;
    if (i < count) products[i] = value[k] * x[column[k]];
  }
}
