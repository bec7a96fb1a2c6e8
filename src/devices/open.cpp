// Which devices there are and how their names lead to them: one row per kind.

#include <charconv>
#include <sparsecast/error.hpp>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"
#include "devices/device.hpp"
#include "devices/gpu/cuda/devices.hpp"
#include "devices/gpu/cuda/kernel_binary.hpp"
#include "devices/gpu/gpu_device.hpp"
#include "devices/host/host.hpp"
#ifdef SPARSECAST_OPENCL
#include "devices/gpu/opencl/devices.hpp"
#endif

namespace sparsecast::devices {
namespace {

#ifndef SPARSECAST_OPENCL
constexpr const char* no_opencl = "this build has no OpenCL; build with opencl-headers installed";
std::vector<DeviceProperties> opencl_devices(std::string* why) {
  *why = no_opencl;
  return {};
}
std::unique_ptr<GpuRuntime> open_opencl(int number) {
  throw Error(ErrorCode::unavailable, "opencl:" + std::to_string(number) + " is not here: " + no_opencl);
}
#endif

struct GpuKind {
  std::string_view prefix;
  std::vector<DeviceProperties> (*list)(std::string* why);
  std::unique_ptr<GpuRuntime> (*open)(int number);
};
constexpr GpuKind gpu_kinds[] = {
    {"opencl:", opencl_devices, open_opencl},
    {"cuda:", cuda_devices, open_cuda},
};

}  // namespace

std::unique_ptr<Device> open_device(const std::string& name, int threads) {
  if (name == "host") return open_host(threads);
  for (const GpuKind& kind : gpu_kinds) {
    if (!name.starts_with(kind.prefix)) continue;
    int number = -1;
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + kind.prefix.size(), end, number);
    if (parsed.ec == std::errc{} && parsed.ptr == end && number >= 0) return gpu_device(kind.open(number));
  }
  const std::string meant = base::did_you_mean(name, std::vector<std::string>{"host", "opencl:0", "cuda:0"});
  throw Error(ErrorCode::usage, "no device is called '" + name + "'", {},
              (meant.empty() ? meant : meant + " ") +
                  "devices are host, opencl:N and cuda:N; `sparsecast devices` lists those here");
}

std::vector<std::string> built_in_devices() {
  std::vector<std::string> kinds{"host"};
#ifdef SPARSECAST_OPENCL
  kinds.emplace_back("OpenCL");
#endif
  kinds.emplace_back(cuda_kernel_binary().empty() ? "CUDA (kernels compiled where they run)" : "CUDA");
  return kinds;
}

PresentDevices present_devices() {
  PresentDevices present{{host_properties()}, {}};
  for (const GpuKind& kind : gpu_kinds) {
    std::string why;
    const std::vector<DeviceProperties> found = kind.list(&why);
    present.devices.insert(present.devices.end(), found.begin(), found.end());
    if (found.empty())
      present.missing.push_back(std::string(kind.prefix.substr(0, kind.prefix.size() - 1)) + ": " + why);
  }
  return present;
}

}  // namespace sparsecast::devices
