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

// The second pass of coo and csr-merge: adds what each group of the first pass carried out to the row that it belongs
// to. One group does it, in order, because neighbouring carries may belong to one row: no atomics are needed. Carries
// come in ascending rows; a row of `rows` or more means that there is nothing to add.

KERNEL(add_carries)
(WIDE rows, WIDE count, GLOBAL const int* RESTRICT carry_rows, GLOBAL const VALUE* RESTRICT carries, GLOBAL VALUE* y) {
  LOCAL_ARRAY(VALUE, sums, GROUP);
  LOCAL_ARRAY(int, ends, GROUP);
  VALUE group_carry = 0;
  for (WIDE first = 0; first < count; first += GROUP) {
    const WIDE i = first + LOCAL_ID();
    const int row = i < count ? carry_rows[i] : -1;
    const VALUE carry = i < count ? carries[i] : 0;
    // The last carry of a row adds the row's total; what it hands on is empty.
    const int ends_here = i < count && (i + 1 == count || carry_rows[i + 1] != row);
    const VALUE before = carry_into_thread(sums, ends, ends_here ? 0 : carry, ends_here, &group_carry);
    if (ends_here && row >= 0 && row < rows) y[row] += before + carry;
  }
}
