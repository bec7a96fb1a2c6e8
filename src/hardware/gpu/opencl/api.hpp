#pragma once
// The OpenCL functions in use, from a loader library that is opened at run time: one executable runs with and without.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "hardware/gpu/gpu_runtime.hpp"

namespace sparsecast::hardware {
struct OpenClApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): declarations
#define OPENCL_FUNCTION(name) decltype(&::name) name = nullptr;
#include "hardware/gpu/opencl/opencl_functions.def"
#undef OPENCL_FUNCTION
  /// OpenCL 2.1; nullptr where the loader is older.
  cl_int (*clGetKernelSubGroupInfo)(cl_kernel, cl_device_id, cl_uint, std::size_t, const void*, std::size_t, void*,
                                    std::size_t*) = nullptr;
};

/// nullptr where no loader library is here; `why` then says so. Loaded once.
const OpenClApi* opencl_api(std::string* why = nullptr);

// OpenCL devices: which there are, what they are, and opening one for products.

/// "opencl:0", "opencl:1", … in the order of platforms and of devices in a platform. Where there are none, `why` says
/// what is missing and how to get it.
std::vector<DeviceProperties> opencl_devices(std::string* why = nullptr);

/// Opens the N-th. Error unavailable with a remedy where it is not here.
std::unique_ptr<GpuRuntime> open_opencl(int number);

/// What OpenCL tells of its devices, as DeviceProperties.
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
