#pragma once
// What tests of kernels share. A CUDA kernel whose threads read shared memory s words apart: with s = 32 all lanes of a
// warp go to one bank.

#include <string>

#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::test {

/// `parameters`: x and y of float and int s, and what else a test gives its kernels.
inline std::string banks_kernel(const std::string& parameters) {
  return "extern \"C\" __global__ void banks(" + parameters + R"() {
  __shared__ float t[8192];
  for (int j = threadIdx.x; j < 8192; j += blockDim.x) t[j] = x[j];
  __syncthreads();
  float a = 0;
  for (int j = 0; j < 256; ++j) a += t[(threadIdx.x * s + j) & 8191];
  y[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
)";
}

/// To compile for; nothing else of a device.
inline gpu_code::KernelTimes of_architecture(int architecture) {
  gpu_code::KernelTimes times;
  times.architecture = architecture;
  return times;
}
}  // namespace sparsecast::test
