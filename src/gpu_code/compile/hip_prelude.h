/* What HIP and CUDA sources take from their vendors' headers, for clang alone: kernels compile to PTX (whose course is
   followed) and to AMD's machine code without either toolkit. Device side only. */
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
typedef __SIZE_TYPE__ size_t;
struct sc_index {
  unsigned x, y, z;
};
#if defined(__NVPTX__)
#define SC_READ(nvptx, amdgcn, d) ((unsigned)__nvvm_read_ptx_sreg_##nvptx##_##d())
#define SC_BLOCKS(d) SC_READ(nctaid, , d)
#define SC_ROOT(x) __nvvm_sqrt_rn_f(x)
#elif defined(__AMDGCN__)
#define SC_READ(nvptx, amdgcn, d) ((unsigned)__builtin_amdgcn_##amdgcn##_##d())
#define SC_BLOCKS(d) (SC_READ(, grid_size, d) / SC_READ(, workgroup_size, d))
#define SC_ROOT(x) __builtin_amdgcn_sqrtf(x)
static __device__ __forceinline__ void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#else
/* The host's side of a source is read and thrown away. */
#define SC_READ(nvptx, amdgcn, d) 1u
#define SC_BLOCKS(d) 1u
#define SC_ROOT(x) (x)
#endif
#define SC_INDEX(nvptx, amdgcn) \
  (sc_index{SC_READ(nvptx, amdgcn, x), SC_READ(nvptx, amdgcn, y), SC_READ(nvptx, amdgcn, z)})
#define threadIdx SC_INDEX(tid, workitem_id)
#define blockIdx SC_INDEX(ctaid, workgroup_id)
#define blockDim SC_INDEX(ntid, workgroup_size)
#define gridDim (sc_index{SC_BLOCKS(x), SC_BLOCKS(y), SC_BLOCKS(z)})
#define SC_FUNCTION static __device__ __forceinline__
template <class T>
SC_FUNCTION T __ldg(const T* at) {
  return *at;
}
#define SC_OF_TYPE(T)                                   \
  SC_FUNCTION T min(T a, T b) { return a < b ? a : b; } \
  SC_FUNCTION T max(T a, T b) { return a > b ? a : b; }
SC_OF_TYPE(int)
SC_OF_TYPE(unsigned)
SC_OF_TYPE(long)
SC_OF_TYPE(unsigned long)
SC_OF_TYPE(float)
SC_OF_TYPE(double)
SC_FUNCTION float fminf(float a, float b) { return __builtin_fminf(a, b); }
SC_FUNCTION float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
SC_FUNCTION float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SC_FUNCTION double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
SC_FUNCTION float fabsf(float a) { return __builtin_fabsf(a); }
SC_FUNCTION float sqrtf(float a) { return SC_ROOT(a); }
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
SC_FUNCTION float2 make_float2(float x, float y) { return {x, y}; }
SC_FUNCTION float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
SC_FUNCTION int2 make_int2(int x, int y) { return {x, y}; }
SC_FUNCTION int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
