// The neutral words of the kernel texts in OpenCL C. A program is this file, then the texts that its kernel needs,
// built with -D VALUE=float|double -D OFFSET=int|long -D GROUP=… -D LANES=… and, where the device has them,
// -D SUBGROUP_SHUFFLE.

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define WIDE long
#define UNSIGNED uint
#define KERNEL(name) __kernel void name
#define FUNCTION
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_ARRAY(type, name, count) __local type name[count]
#define RESTRICT restrict
#define PAIR_OF(type) type##2
#define PAIR(type) PAIR_OF(type)  // .x and .y, read at once
#define UNROLL _Pragma("unroll")
#define UNROLL_2 _Pragma("unroll 2")
#define UNROLL_4 _Pragma("unroll 4")
#define LOAD_ONCE(address) (*(address))

#define LOCAL_ID() ((int)get_local_id(0))
#define GROUP_ID() ((WIDE)get_group_id(0))
#define GROUP_COUNT() ((WIDE)get_num_groups(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
// What was written reaches the other groups before what follows. AMD's mem_fence() speaks of the own group alone.
#ifdef __AMDGCN__
#define FENCE() __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent")
#else
#define FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
#define NEXT_OF(address) atomic_inc(address)  // what is there, to which 1 is added

#ifdef SUBGROUP_SHUFFLE
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#define SHUFFLE(value, lane) sub_group_shuffle(value, lane)
#define SHUFFLE_XOR(value, mask) sub_group_shuffle_xor(value, mask)
#endif

// Words of the micro-benchmarks (chains.h). OpenCL C has no clock and no loads past a cache.
#define CLOCK() ((WIDE)0)
#define KEEP_ROLLED
#define RECIPROCAL_ROOT(a) a = native_rsqrt(a)
#define EXPONENTIAL(a) a = native_exp2(a)
#define NEAREST_OF_BITS(a) a = convert_int_rte(as_float(a))
#define LARGER(a, b) a = max(a, b)
#define SMALLER(a, b) a = min(a, b)
#define LOAD_NEAR(a) a = *(GLOBAL const WIDE*)a
#define LOAD_FAR(a) a = *(GLOBAL const WIDE*)a
