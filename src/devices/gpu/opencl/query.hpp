#pragma once
// What OpenCL tells of its devices, as DeviceProperties.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "devices/gpu/opencl/api.hpp"
#include "sparsecast/device.hpp"

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

// Compiled OpenCL programs in the store, one file each, so that a kernel is compiled once per device, driver and text.

class ProgramCache {
 public:
  /// `key` is all that the binary depends on: device, driver, options and text.
  explicit ProgramCache(std::string_view key);
  /// The stored binary; empty where there is none, or where the file is damaged or holds another key's.
  [[nodiscard]] std::string load() const;
  /// Failure is silent: a cache that cannot be written costs time and nothing else.
  void store(std::string_view binary) const;

 private:
  [[nodiscard]] std::string head(std::string_view binary) const;

  std::string key_;
  std::filesystem::path file_;
};
}  // namespace sparsecast::hardware
