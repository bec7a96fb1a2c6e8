#include "hardware/gpu/cuda/nvml.hpp"

#include <dlfcn.h>

#include "hardware/gpu/gpu_kernels.hpp"

namespace sparsecast::hardware {
namespace {
// From NVML's reference; the names are stable since CUDA 4.2.
constexpr int nvml_success = 0, nvml_clock_sm = 1;
}  // namespace

NvmlClock::NvmlClock(const std::string& bus, const char* library) {
  void* opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return;
  int (*start)() = nullptr;
  int (*find)(const char*, void**) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  if (!find_symbol(opened, "nvmlInit_v2", start) || !find_symbol(opened, "nvmlDeviceGetHandleByPciBusId_v2", find) ||
      !find_symbol(opened, "nvmlDeviceGetClockInfo", clock))
    return;
  if (start() == nvml_success && find(bus.c_str(), &device_) == nvml_success) clock_ = clock;
}

double NvmlClock::hz() const {
  unsigned mhz = 0;
  return clock_ != nullptr && clock_(device_, nvml_clock_sm, &mhz) == nvml_success ? 1e6 * mhz : 0;
}
}  // namespace sparsecast::hardware
