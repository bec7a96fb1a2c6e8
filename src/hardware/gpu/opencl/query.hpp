#pragma once
// What OpenCL tells of its platforms and devices, as DeviceProperties.

#include "hardware/gpu/opencl/api.hpp"

namespace sparsecast::hardware {
struct OpenClDevice {
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
};

/// All devices of all platforms; platforms that fail are passed over.
std::vector<OpenClDevice> find_opencl_devices(const OpenClApi& api);

std::string device_text(const OpenClApi& api, cl_device_id device, cl_device_info what);
template <class T>
T device_value(const OpenClApi& api, cl_device_id device, cl_device_info what, T otherwise = {}) {
  T value{};
  return api.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

DeviceProperties opencl_properties(const OpenClApi& api, const OpenClDevice& device, int number);
}  // namespace sparsecast::hardware
