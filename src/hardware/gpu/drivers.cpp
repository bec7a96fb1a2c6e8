// The GPUs that this library drives, made known to open_device() and its likes where the library is linked.

#include <sparsecast/error.hpp>

#include "hardware/gpu/cuda/kernel_binary.hpp"
#include "hardware/gpu/cuda/runtime.hpp"
#include "hardware/gpu/gpu_product.hpp"
#ifdef SPARSECAST_OPENCL
#include "hardware/gpu/opencl/runtime.hpp"
#endif

// What a program asks its linker for (-u), so that this file is taken out of a static library (room.cmake).
extern "C" {
extern const char sparsecast_gpu_drivers;
const char sparsecast_gpu_drivers = 0;
}

namespace sparsecast::hardware {
namespace {
#ifdef SPARSECAST_OPENCL
constexpr std::string_view opencl = "OpenCL";
#else
constexpr std::string_view opencl;
constexpr const char* no_opencl = "this build has no OpenCL; build with opencl-headers installed";
std::vector<DeviceProperties> opencl_devices(std::string* why) {
  *why = no_opencl;
  return {};
}
std::unique_ptr<GpuRuntime> open_opencl(int number) {
  throw Error(ErrorCode::unavailable, "opencl:" + std::to_string(number) + " is not present: " + no_opencl);
}
#endif

template <std::unique_ptr<GpuRuntime> (*open)(int)>
std::unique_ptr<Device> opened(int number) {
  return gpu_device(open(number));
}

const GpuKind drivers[] = {
    {"opencl:", opencl, opencl_devices, opened<open_opencl>},
    {"cuda:", cuda_kernel_binary().empty() ? "CUDA (kernels compiled where they run)" : "CUDA", cuda_devices,
     opened<open_cuda>},
};
[[maybe_unused]] const bool known = (set_gpu_kinds(drivers), true);
}  // namespace
}  // namespace sparsecast::hardware
