#pragma once
// OpenCL devices: which there are, what they are, and opening one for products.

#include "hardware/gpu/gpu_runtime.hpp"

namespace sparsecast::hardware {
/// "opencl:0", "opencl:1", … in the order of platforms and of devices in a platform. Where there are none, `why` says
/// what is missing and how to get it.
std::vector<DeviceProperties> opencl_devices(std::string* why = nullptr);

/// Opens the N-th. Error unavailable with a remedy where it is not here.
std::unique_ptr<GpuRuntime> open_opencl(int number);
}  // namespace sparsecast::hardware
