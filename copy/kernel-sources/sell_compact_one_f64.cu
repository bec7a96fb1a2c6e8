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
