// The neutral words of the kernel texts in CUDA C++. kernels.cu includes the texts once per value and offset type and
// sets VALUE, OFFSET and SUFFIX each time; a kernel's name in the binary is name_SUFFIX.

#define WIDE long long
#define JOIN_AGAIN(name, suffix) name##_##suffix
#define JOIN(name, suffix) JOIN_AGAIN(name, suffix)
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(GROUP) JOIN(name, SUFFIX)
#define FUNCTION static __device__ __forceinline__
#define GLOBAL
#define LOCAL
#define LOCAL_ARRAY(type, name, count) __shared__ type name[count]
#define RESTRICT __restrict__

#define LOCAL_ID() (static_cast<int>(threadIdx.x))
#define GROUP_ID() (static_cast<WIDE>(blockIdx.x))
#define GROUP_COUNT() (static_cast<WIDE>(gridDim.x))
#define BARRIER() __syncthreads()

#define SHUFFLE(value, lane) __shfl_sync(0xffffffffU, value, lane)
#define SHUFFLE_XOR(value, mask) __shfl_xor_sync(0xffffffffU, value, mask)
