#include "hardware/gpu/opencl/query.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <mutex>

namespace sparsecast::hardware {
namespace {
// From the vendors' extensions (cl_nv_device_attribute_query, cl_amd_device_attribute_query).
constexpr cl_device_info compute_capability_major_nv = 0x4000, compute_capability_minor_nv = 0x4001,
                         registers_per_block_nv = 0x4002, warp_size_nv = 0x4003, wavefront_width_amd = 0x4043;
// Lanes per row of csr-vector where a device has no warps of its own: as on NVIDIA, so that results compare.
constexpr int usual_warp = 32;
constexpr std::size_t most_devices = 64;

// What get(…) says of a platform or a device; empty where it says nothing.
template <class Get>
std::string info_text(const Get& get) {
  std::size_t size = 0;
  if (get(0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (get(size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(size - 1);
  return text;
}

std::string platform_text(const OpenClApi& api, cl_platform_id platform, cl_platform_info what) {
  return info_text([&](auto... rest) { return api.clGetPlatformInfo(platform, what, rest...); });
}
}  // namespace

std::vector<OpenClDevice> find_opencl_devices(const OpenClApi& api) {
  // The first question makes a driver look for its devices. PoCL 3.1 answers a second thread before it has finished,
  // and the names of those devices are not there yet.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  std::array<cl_platform_id, most_devices> platforms{};
  cl_uint platform_count = 0;
  if (api.clGetPlatformIDs(most_devices, platforms.data(), &platform_count) != CL_SUCCESS) return {};
  std::vector<OpenClDevice> found;
  for (cl_uint p = 0; p < std::min<cl_uint>(platform_count, most_devices); ++p) {
    std::array<cl_device_id, most_devices> devices{};
    cl_uint count = 0;
    if (api.clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, most_devices, devices.data(), &count) != CL_SUCCESS)
      continue;
    for (cl_uint d = 0; d < std::min<cl_uint>(count, most_devices); ++d) found.push_back({platforms[p], devices[d]});
  }
  return found;
}

std::string device_text(const OpenClApi& api, cl_device_id device, cl_device_info what) {
  return info_text([&](auto... rest) { return api.clGetDeviceInfo(device, what, rest...); });
}

DeviceProperties opencl_properties(const OpenClApi& api, const OpenClDevice& device, int number) {
  const auto value = [&]<class T>(cl_device_info what, T otherwise) {
    return device_value(api, device.id, what, otherwise);
  };
  const auto type = value(CL_DEVICE_TYPE, cl_device_type{CL_DEVICE_TYPE_DEFAULT});
  const auto most_group = static_cast<int>(value(CL_DEVICE_MAX_WORK_GROUP_SIZE, std::size_t{1}));

  DeviceProperties p;
  p.name = fmt::format("opencl:{}", number);
  p.model = device_text(api, device.id, CL_DEVICE_NAME);
  p.vendor = device_text(api, device.id, CL_DEVICE_VENDOR);
  p.kind = DeviceKind::opencl;
  p.compute_units = static_cast<int>(value(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint{1}));
  p.max_threads_per_block = most_group;
  p.memory_bytes = static_cast<std::int64_t>(value(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong{0}));
  p.clock_hz = 1e6 * value(CL_DEVICE_MAX_CLOCK_FREQUENCY, cl_uint{0});
  p.driver = fmt::format("{}; {}", platform_text(api, device.platform, CL_PLATFORM_VERSION),
                         device_text(api, device.id, CL_DRIVER_VERSION));
  p.source = "OpenCL device query";
  if (const auto cache = value(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cl_ulong{0}); cache > 0)
    p.caches.push_back({2, static_cast<std::int64_t>(cache),
                        static_cast<int>(std::max(cl_uint{1}, value(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, cl_uint{64}))),
                        p.compute_units});
  if ((type & CL_DEVICE_TYPE_CPU) != 0) p.limits["host_processor"] = 1;  // its units are the host's cores
  p.limits["shared_bytes_per_block"] = static_cast<double>(value(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong{0}));
  p.limits["max_allocation_bytes"] = static_cast<double>(value(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong{0}));

  // Resident threads per compute unit, which no OpenCL query tells. A CPU runs one work-group per core at a time, so
  // the largest work-group is what a core has in hand.
  p.warp_size = usual_warp;
  p.threads_per_unit = most_group;
  if (const auto warp = value(warp_size_nv, cl_uint{0}); warp > 0) {
    p.warp_size = static_cast<int>(warp);
    const auto major = static_cast<int>(value(compute_capability_major_nv, cl_uint{0}));
    const auto minor = static_cast<int>(value(compute_capability_minor_nv, cl_uint{0}));
    p.limits["compute_capability"] = major + minor / 10.0;
    p.threads_per_unit = nvidia_threads_per_unit(major, minor);
    p.limits["registers_per_block"] = value(registers_per_block_nv, cl_uint{0});
  } else if (const auto wavefront = value(wavefront_width_amd, cl_uint{0});
             wavefront > 0 && (type & CL_DEVICE_TYPE_GPU) != 0) {
    p.warp_size = static_cast<int>(wavefront);
    p.threads_per_unit = amd_wavefronts_per_unit(p.model) * p.warp_size;
  }
  p.warps_per_unit = std::max(1, p.threads_per_unit / p.warp_size);
  return p;
}
}  // namespace sparsecast::hardware
