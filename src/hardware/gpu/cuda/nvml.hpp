#pragma once
// NVIDIA's management library, opened at run time: the clock that a device has at the moment.

#include <string>

namespace sparsecast::hardware {
inline constexpr const char* nvml_library = "libnvidia-ml.so.1";

class NvmlClock {
 public:
  /// `bus`: the device's place on the bus ("0000:17:00.0"), by which CUDA's numbers and NVML's are told apart.
  explicit NvmlClock(const std::string& bus, const char* library = nvml_library);
  /// 0 where the library is not here or does not tell.
  [[nodiscard]] double hz() const;

 private:
  int (*clock_)(void* device, int type, unsigned* mhz) = nullptr;
  void* device_ = nullptr;
};
}  // namespace sparsecast::hardware
