#pragma once
// CUDA devices: which there are, what they are, and opening one for products.

#include "hardware/gpu/gpu_runtime.hpp"

namespace sparsecast::hardware {
/// "cuda:0", "cuda:1", … as the driver numbers them. Where there are none, `why` says what is missing and how to get
/// it.
std::vector<DeviceProperties> cuda_devices(std::string* why = nullptr);

/// Opens the N-th. Error unavailable with a remedy where it is not here.
std::unique_ptr<GpuRuntime> open_cuda(int number);
}  // namespace sparsecast::hardware
