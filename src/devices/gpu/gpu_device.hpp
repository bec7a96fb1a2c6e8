#pragma once
// A GPU (or whatever an OpenCL driver offers) as a Device: our kernels and the vendor's over one GpuRuntime.

#include <memory>

#include "devices/device.hpp"
#include "devices/gpu/gpu_product.hpp"
#include "devices/gpu/gpu_runtime.hpp"

namespace sparsecast::hardware {
std::unique_ptr<Device> gpu_device(std::unique_ptr<GpuRuntime> runtime, const GpuLaunchLimits& limits = {});
}  // namespace sparsecast::hardware
