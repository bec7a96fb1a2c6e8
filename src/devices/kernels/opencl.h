// The neutral words of the kernel texts in OpenCL C. A program is this file, then the texts that its kernel needs,
// built with -D VALUE=float|double -D OFFSET=int|long -D GROUP=… -D LANES=… and, where the device has them,
// -D SUBGROUP_SHUFFLE.

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define WIDE long
#define KERNEL(name) __kernel void name
#define FUNCTION
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_ARRAY(type, name, count) __local type name[count]
#define RESTRICT restrict

#define LOCAL_ID() ((int)get_local_id(0))
#define GROUP_ID() ((WIDE)get_group_id(0))
#define GROUP_COUNT() ((WIDE)get_num_groups(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#ifdef SUBGROUP_SHUFFLE
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#define SHUFFLE(value, lane) sub_group_shuffle(value, lane)
#define SHUFFLE_XOR(value, mask) sub_group_shuffle_xor(value, mask)
#endif
