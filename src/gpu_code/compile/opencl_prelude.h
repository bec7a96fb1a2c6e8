/* OpenCL's work-item functions and what else the kernels use, in terms of clang's built-ins for NVPTX and AMDGPU. */
#define SC_PICK(d, x, y, z) ((d) == 0 ? (x) : (d) == 1 ? (y) : (z))
#ifdef __AMDGCN__
#define get_local_id(d)                                                                   \
  ((size_t)SC_PICK(d, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), \
                   __builtin_amdgcn_workitem_id_z()))
#define get_group_id(d)                                                                     \
  ((size_t)SC_PICK(d, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), \
                   __builtin_amdgcn_workgroup_id_z()))
#define get_local_size(d)                                                                       \
  ((size_t)SC_PICK(d, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(), \
                   __builtin_amdgcn_workgroup_size_z()))
#define get_num_groups(d)                                                             \
  ((size_t)SC_PICK(d, __builtin_amdgcn_grid_size_x(), __builtin_amdgcn_grid_size_y(), \
                   __builtin_amdgcn_grid_size_z()) /                                  \
   get_local_size(d))
#else
#define get_local_id(d) \
  ((size_t)SC_PICK(d, __nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_tid_y(), __nvvm_read_ptx_sreg_tid_z()))
#define get_group_id(d) \
  ((size_t)SC_PICK(d, __nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(), __nvvm_read_ptx_sreg_ctaid_z()))
#define get_local_size(d) \
  ((size_t)SC_PICK(d, __nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_ntid_y(), __nvvm_read_ptx_sreg_ntid_z()))
#define get_num_groups(d)                                                               \
  ((size_t)SC_PICK(d, __nvvm_read_ptx_sreg_nctaid_x(), __nvvm_read_ptx_sreg_nctaid_y(), \
                   __nvvm_read_ptx_sreg_nctaid_z()))
#endif
#define get_global_id(d) (get_group_id(d) * get_local_size(d) + get_local_id(d))
#define get_global_size(d) (get_num_groups(d) * get_local_size(d))
#define get_global_offset(d) ((size_t)0)
#ifdef __AMDGCN__
#define barrier(flags) __builtin_amdgcn_s_barrier()
#else
#define barrier(flags) __syncthreads()
#endif
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
