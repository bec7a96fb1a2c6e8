#include "devices/gpu/cuda/nvml.hpp"

#include <dlfcn.h>

namespace sparsecast::devices {
namespace {

// From NVML's reference; the names are stable since CUDA 4.2.
constexpr int nvml_success = 0, nvml_clock_sm = 1;

}  // namespace

NvmlClock::NvmlClock(const std::string& bus, const char* library) {
  void* opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return;
  const auto start = reinterpret_cast<int (*)()>(dlsym(opened, "nvmlInit_v2"));
  const auto find = reinterpret_cast<int (*)(const char*, void**)>(dlsym(opened, "nvmlDeviceGetHandleByPciBusId_v2"));
  const auto clock = reinterpret_cast<int (*)(void*, int, unsigned*)>(dlsym(opened, "nvmlDeviceGetClockInfo"));
  if (start == nullptr || find == nullptr || clock == nullptr) return;
  if (start() == nvml_success && find(bus.c_str(), &device_) == nvml_success) clock_ = clock;
}

double NvmlClock::hz() const {
  unsigned mhz = 0;
  return clock_ != nullptr && clock_(device_, nvml_clock_sm, &mhz) == nvml_success ? 1e6 * mhz : 0;
}

}  // namespace sparsecast::devices
