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
#define threadIdx                                                                           \
  (sc_index{(unsigned)__nvvm_read_ptx_sreg_tid_x(), (unsigned)__nvvm_read_ptx_sreg_tid_y(), \
            (unsigned)__nvvm_read_ptx_sreg_tid_z()})
#define blockIdx                                                                                \
  (sc_index{(unsigned)__nvvm_read_ptx_sreg_ctaid_x(), (unsigned)__nvvm_read_ptx_sreg_ctaid_y(), \
            (unsigned)__nvvm_read_ptx_sreg_ctaid_z()})
#define blockDim                                                                              \
  (sc_index{(unsigned)__nvvm_read_ptx_sreg_ntid_x(), (unsigned)__nvvm_read_ptx_sreg_ntid_y(), \
            (unsigned)__nvvm_read_ptx_sreg_ntid_z()})
#define gridDim                                                                                   \
  (sc_index{(unsigned)__nvvm_read_ptx_sreg_nctaid_x(), (unsigned)__nvvm_read_ptx_sreg_nctaid_y(), \
            (unsigned)__nvvm_read_ptx_sreg_nctaid_z()})
#define SC_ROOT(x) __nvvm_sqrt_rn_f(x)
#elif defined(__AMDGCN__)
#define threadIdx \
  (sc_index{__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z()})
#define blockIdx \
  (sc_index{__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z()})
#define blockDim                                                                      \
  (sc_index{__builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(), \
            __builtin_amdgcn_workgroup_size_z()})
#define gridDim                                                                   \
  (sc_index{__builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(), \
            __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(), \
            __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z()})
#define SC_ROOT(x) __builtin_amdgcn_sqrtf(x)
static __device__ __forceinline__ void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#else
/* The host's side of a source is read and thrown away. */
#define threadIdx (sc_index{0, 0, 0})
#define blockIdx (sc_index{0, 0, 0})
#define blockDim (sc_index{1, 1, 1})
#define gridDim (sc_index{1, 1, 1})
#define SC_ROOT(x) (x)
#endif
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
