/* OpenCL's work-item functions and what else the kernels use, in terms of clang's built-ins for NVPTX and AMDGPU. */
#ifdef __AMDGCN__
#define SC_READ(nvptx, amdgcn, d) __builtin_amdgcn_##amdgcn##_##d()
#define get_num_groups(d) (SC_INDEX(d, , grid_size) / get_local_size(d))
#define barrier(flags) __builtin_amdgcn_s_barrier()
#else
#define SC_READ(nvptx, amdgcn, d) __nvvm_read_ptx_sreg_##nvptx##_##d()
#define get_num_groups(d) SC_INDEX(d, nctaid, )
#define barrier(flags) __syncthreads()
#endif
#define SC_INDEX(i, nvptx, amdgcn)                       \
  ((size_t)((i) == 0   ? SC_READ(nvptx, amdgcn, x)       \
            : (i) == 1 ? SC_READ(nvptx, amdgcn, y)       \
                       : SC_READ(nvptx, amdgcn, z)))
#define get_local_id(d) SC_INDEX(d, tid, workitem_id)
#define get_group_id(d) SC_INDEX(d, ctaid, workgroup_id)
#define get_local_size(d) SC_INDEX(d, ntid, workgroup_size)
#define get_global_id(d) (get_group_id(d) * get_local_size(d) + get_local_id(d))
#define get_global_size(d) (get_num_groups(d) * get_local_size(d))
#define get_global_offset(d) ((size_t)0)
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
typedef unsigned long size_t;
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));
#define fma(a, b, c) __builtin_fmaf(a, b, c)
#define mad(a, b, c) ((a) * (b) + (c))
#ifdef __AMDGCN__
#define sqrt(x) __builtin_amdgcn_sqrtf(x)
#define rsqrt(x) __builtin_amdgcn_rsqf(x)
#define native_exp2(x) __builtin_exp2f(x)
#define exp(x) __builtin_exp2f((x)*1.442695041f)
#define log(x) (__builtin_log2f(x) * 0.693147181f)
#else
#define sqrt(x) __nvvm_sqrt_rn_f(x)
#define rsqrt(x) __nvvm_rsqrt_approx_f(x)
#define native_exp2(x) __nvvm_ex2_approx_f(x)
#define exp(x) __nvvm_ex2_approx_f((x)*1.442695041f)
#define log(x) (__nvvm_lg2_approx_f(x) * 0.693147181f)
#endif
#define fabs(x) __builtin_fabsf(x)
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#ifdef __AMDGCN__
#define atomic_inc(p) __sync_fetch_and_add(p, 1)
#define atomic_add(p, v) __sync_fetch_and_add(p, (int)(v))
#else
#define atomic_inc(p) __nvvm_atom_add_gen_i((volatile int*)(p), 1)
#define atomic_add(p, v) __nvvm_atom_add_gen_i((volatile int*)(p), (int)(v))
#endif
