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

// csr-vector (LANES = a warp) and csr-half (LANES = half a warp): so many neighbouring threads share a row, read it
// side by side and add up at its end (Bell & Garland 2009, section 4.2; Li & Saad 2013, section 2.1).

KERNEL(CSR_LANES)
(WIDE rows, GLOBAL const OFFSET* RESTRICT row_pointers, GLOBAL const int* RESTRICT columns,
 GLOBAL const VALUE* RESTRICT values, GLOBAL const VALUE* RESTRICT x, GLOBAL VALUE* RESTRICT y) {
  LOCAL_ARRAY(VALUE, partial, GROUP);
  const int lane = LOCAL_ID() % LANES;
  // All threads of a group pass the loop equally often: barriers and shuffles need every one of them.
  for (WIDE first = GROUP_ID() * (GROUP / LANES); first < rows; first += GROUP_COUNT() * (GROUP / LANES)) {
    const WIDE row = first + LOCAL_ID() / LANES;
    VALUE sum = 0;
    if (row < rows) {
      const OFFSET end = row_pointers[row + 1];
      for (OFFSET k = row_pointers[row] + lane; k < end; k += LANES) sum += values[k] * x[columns[k]];
    }
    sum = sum_of_lanes(sum, LANES, partial);
    if (lane == 0 && row < rows) y[row] = sum;
  }
}
