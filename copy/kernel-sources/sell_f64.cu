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

// sell: one thread per row of SELL-C-σ (Kreutzer et al. 2014): slices of SLICE rows, each padded to its own longest
// row and stored column by column. The permutation leads from the sorted position to the row of the matrix.

KERNEL(sell)
(WIDE rows, WIDE slice_rows, GLOBAL const WIDE* RESTRICT slice_pointers, GLOBAL const int* RESTRICT permutation,
 GLOBAL const int* RESTRICT columns, GLOBAL const VALUE* RESTRICT values, GLOBAL const VALUE* RESTRICT x,
 GLOBAL VALUE* RESTRICT y) {
  for (WIDE position = GROUP_ID() * GROUP + LOCAL_ID(); position < rows; position += GROUP_COUNT() * GROUP) {
    const WIDE slice = position / slice_rows;
    const WIDE end = slice_pointers[slice + 1];
    VALUE sum = 0;
    // Unrolled, and the value read before the column is known to be real: several loads are then on their way at once.
#pragma unroll 4
    for (WIDE slot = slice_pointers[slice] + position % slice_rows; slot < end; slot += slice_rows) {
      const int column = columns[slot];
      const VALUE value = values[slot];
      if (column >= 0) sum += value * x[column];
    }
    y[permutation[position]] = sum;
  }
}
