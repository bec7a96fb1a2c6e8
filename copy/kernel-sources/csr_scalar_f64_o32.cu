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

// csr-scalar: one thread per row (Bell & Garland 2009, section 4.2). Neighbouring threads read memory as far apart as
// their rows are long, so it suits very short rows only.

KERNEL(csr_scalar)
(WIDE rows, GLOBAL const OFFSET* RESTRICT row_pointers, GLOBAL const int* RESTRICT columns,
 GLOBAL const VALUE* RESTRICT values, GLOBAL const VALUE* RESTRICT x, GLOBAL VALUE* RESTRICT y) {
  // Strides by the whole grid: the grid may be smaller than the rows (one dimension of a grid is limited).
  for (WIDE row = GROUP_ID() * GROUP + LOCAL_ID(); row < rows; row += GROUP_COUNT() * GROUP) {
    const OFFSET end = row_pointers[row + 1];
    VALUE sum = 0;
    for (OFFSET k = row_pointers[row]; k < end; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}
