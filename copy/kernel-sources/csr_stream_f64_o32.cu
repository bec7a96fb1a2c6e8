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

// Sums over neighbouring threads that share a row: `lanes` of them, a power of two up to a warp. All threads of the
// group call it; the first lane has the sum. Without shuffles it goes through `partial`, of GROUP entries.

FUNCTION VALUE sum_of_lanes(VALUE sum, int lanes, LOCAL VALUE* partial) {
#ifdef SHUFFLE_XOR
  (void)partial;
  for (int distance = lanes / 2; distance > 0; distance /= 2) sum += SHUFFLE_XOR(sum, distance);
  return sum;
#else
  const int id = LOCAL_ID();
  partial[id] = sum;
  BARRIER();
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    if (id % lanes < distance) partial[id] += partial[id + distance];
    BARRIER();
  }
  sum = partial[id];
  BARRIER();
  return sum;
#endif
}

// csr-stream: a group has ROWS neighbouring rows, whose entries it reads side by side, two a thread and whatever row
// they are of, and keeps their products in local memory; then GROUP / ROWS threads add up each row (Greathouse & Daga
// 2014). Rows beyond one tile go on in the next, in the same threads.

#ifndef STREAM_TILE
#define STREAM_TILE (8 * GROUP)
#endif

KERNEL(csr_stream)
(WIDE rows, WIDE nonzeros, WIDE group_rows, GLOBAL const OFFSET* RESTRICT row_pointers,
 GLOBAL const int* RESTRICT columns, GLOBAL const VALUE* RESTRICT values, GLOBAL const VALUE* RESTRICT x,
 GLOBAL VALUE* RESTRICT y) {
  LOCAL_ARRAY(VALUE, products, STREAM_TILE);
  const int lanes = GROUP / (int)group_rows, lane = LOCAL_ID() % lanes;
  for (WIDE first = GROUP_ID() * group_rows; first < rows; first += GROUP_COUNT() * group_rows) {
    const WIDE row = first + LOCAL_ID() / lanes;
    const OFFSET stop = row_pointers[first + group_rows < rows ? first + group_rows : rows];
    const OFFSET begin = row < rows ? row_pointers[row] : stop, end = row < rows ? row_pointers[row + 1] : stop;
    VALUE sum = 0;
    // Pairs begin at even entries: one before the group's first, and one behind its last, are products of nobody.
    for (OFFSET tile = row_pointers[first] / 2 * 2; tile < stop; tile += STREAM_TILE) {
      const int count = stop - tile < STREAM_TILE ? (int)(stop - tile) : STREAM_TILE;
      UNROLL_2
      for (int i = 2 * LOCAL_ID(); i < count; i += 2 * GROUP) {
        if (tile + i + 1 < nonzeros) {
          const PAIR(int) column = *(GLOBAL const PAIR(int)*)(columns + tile + i);
          const PAIR(VALUE) value = *(GLOBAL const PAIR(VALUE)*)(values + tile + i);
          products[i] = value.x * x[column.x];
          products[i + 1] = value.y * x[column.y];
        } else {
          products[i] = values[tile + i] * x[columns[tile + i]];
        }
      }
      BARRIER();
      const int from = begin > tile ? (int)(begin - tile < count ? begin - tile : count) : 0;
      const int to = end > tile ? (int)(end - tile < count ? end - tile : count) : 0;
      UNROLL_2
      for (int i = from + lane; i < to; i += lanes) sum += products[i];
      BARRIER();
    }
    sum = sum_of_lanes(sum, lanes, products);
    if (lane == 0 && row < rows) y[row] = sum;
  }
}
