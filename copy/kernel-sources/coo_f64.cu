// The neutral words of the kernel texts in CUDA C++. kernels.cu includes the texts once per value and offset type and
// sets VALUE, OFFSET and SUFFIX each time; a kernel's name in the binary is name_SUFFIX.

#define CUDA_WORDS
#define WIDE long long
#define UNSIGNED unsigned
#define JOIN_AGAIN(name, suffix) name##_##suffix
#define JOIN(name, suffix) JOIN_AGAIN(name, suffix)
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(GROUP) JOIN(name, SUFFIX)
#define FUNCTION static __device__ __forceinline__
#define GLOBAL
#define LOCAL
#define LOCAL_ARRAY(type, name, count) __shared__ type name[count]
#define RESTRICT __restrict__
#define PAIR_OF(type) type##2
#define PAIR(type) PAIR_OF(type)
#define UNROLL _Pragma("unroll")
#define UNROLL_2 _Pragma("unroll 2")
#define UNROLL_4 _Pragma("unroll 4")
#define LOAD_ONCE(address) __ldcs(address)

#define LOCAL_ID() (static_cast<int>(threadIdx.x))
#define GROUP_ID() (static_cast<WIDE>(blockIdx.x))
#define GROUP_COUNT() (static_cast<WIDE>(gridDim.x))
#define BARRIER() __syncthreads()
#define FENCE() __threadfence()
#define NEXT_OF(address) atomicAdd(address, 1)

#define SHUFFLE(value, lane) __shfl_sync(0xffffffffU, value, lane)
#define SHUFFLE_XOR(value, mask) __shfl_xor_sync(0xffffffffU, value, mask)

// Words of the micro-benchmarks (chains.h). Where C has no word for one instruction, it is PTX; LOAD_NEAR may hit the
// first-level cache, LOAD_FAR passes it by.
#define CLOCK() clock64()
#define KEEP_ROLLED _Pragma("unroll 1")
#define RECIPROCAL_ROOT(a) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a))
#define EXPONENTIAL(a) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a))
#define NEAREST_OF_BITS(a) asm volatile("cvt.rni.s32.f32 %0, %1;" : "=r"(a) : "f"(__int_as_float(a)))
#define LARGER(a, b) asm volatile("max.u32 %0, %0, %1;" : "+r"(a) : "r"(b))
#define SMALLER(a, b) asm volatile("min.u32 %0, %0, %1;" : "+r"(a) : "r"(b))
#define HALF_FMA(a, b) asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(a) : "r"(b))
#define LOAD_NEAR(a) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(a) : : "memory")
#define LOAD_FAR(a) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(a) : : "memory")

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
