/* OpenCL's work-item functions and what else the kernels use, in terms of clang's NVPTX built-ins. */
#define SC_PICK(d, x, y, z) ((d) == 0 ? (x) : (d) == 1 ? (y) : (z))
#define get_local_id(d) ((size_t)SC_PICK(d, __nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_tid_y(), __nvvm_read_ptx_sreg_tid_z()))
#define get_group_id(d) ((size_t)SC_PICK(d, __nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(), __nvvm_read_ptx_sreg_ctaid_z()))
#define get_local_size(d) ((size_t)SC_PICK(d, __nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_ntid_y(), __nvvm_read_ptx_sreg_ntid_z()))
#define get_num_groups(d) ((size_t)SC_PICK(d, __nvvm_read_ptx_sreg_nctaid_x(), __nvvm_read_ptx_sreg_nctaid_y(), __nvvm_read_ptx_sreg_nctaid_z()))
#define get_global_id(d) (get_group_id(d) * get_local_size(d) + get_local_id(d))
#define get_global_size(d) (get_num_groups(d) * get_local_size(d))
#define get_global_offset(d) ((size_t)0)
#define barrier(flags) __syncthreads()
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
#define sqrt(x) __nvvm_sqrt_rn_f(x)
#define rsqrt(x) __nvvm_rsqrt_approx_f(x)
#define native_exp2(x) __nvvm_ex2_approx_f(x)
#define exp(x) __nvvm_ex2_approx_f((x) * 1.442695041f)
#define log(x) (__nvvm_lg2_approx_f(x) * 0.693147181f)
#define fabs(x) __builtin_fabsf(x)
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define atomic_inc(p) __nvvm_atom_add_gen_i((volatile int *)(p), 1)
#define atomic_add(p, v) __nvvm_atom_add_gen_i((volatile int *)(p), (int)(v))
