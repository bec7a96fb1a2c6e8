#include "devices/device.hpp"

#include <charconv>
#include <sparsecast/error.hpp>
#include <string_view>

#include "base/text.hpp"
#include "devices/host/host.hpp"

namespace sparsecast::hardware {
void Product::enqueue(const void* /*x*/, void* /*y*/, std::int64_t /*first_row*/, int /*queue*/) {
  throw Error(ErrorCode::unavailable, "this product has no memory of a device's to work in");
}

// Which devices there are and how their names lead to them.

namespace {
constexpr const char* no_gpus = "this program is built without the library that drives GPUs (sparsecast::gpu)";

constinit std::span<const GpuKind> gpu_kinds;  // set before main(), or never

// N of "<prefix>N"; below 0 for another name.
int number_of(std::string_view name, std::string_view prefix) {
  int number = -1;
  if (!name.starts_with(prefix)) return number;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + prefix.size(), end, number);
  return parsed.ec == std::errc{} && parsed.ptr == end ? number : -1;
}
}  // namespace

void set_gpu_kinds(std::span<const GpuKind> kinds) { gpu_kinds = kinds; }

std::unique_ptr<Device> open_device(const std::string& name, int threads) {
  if (name == "host") return open_host(threads);
  for (const GpuKind& kind : gpu_kinds)
    if (const int number = number_of(name, kind.prefix); number >= 0) return kind.open(number);
  if (gpu_kinds.empty() && (number_of(name, "opencl:") >= 0 || number_of(name, "cuda:") >= 0))
    throw Error(ErrorCode::unavailable, name + " is not here: " + no_gpus);
  const std::string meant = base::did_you_mean(name, std::vector<std::string>{"host", "opencl:0", "cuda:0"});
  throw Error(ErrorCode::usage, "no device is called '" + name + "'", {},
              (meant.empty() ? meant : meant + " ") +
                  "devices are host, opencl:N and cuda:N; `sparsecast devices` lists those here");
}

std::vector<std::string> built_in_devices() {
  std::vector<std::string> kinds{"host"};
  for (const GpuKind& kind : gpu_kinds)
    if (!kind.built_in.empty()) kinds.emplace_back(kind.built_in);
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
  if (gpu_kinds.empty()) present.missing.emplace_back(no_gpus);
  return present;
}
}  // namespace sparsecast::hardware
