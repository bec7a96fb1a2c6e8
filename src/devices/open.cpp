// Which devices there are and how their names lead to them: one row per kind.

#include <array>
#include <charconv>
#include <sparsecast/error.hpp>
#include <string_view>

#include "devices/device.hpp"
#include "devices/host.hpp"

namespace sparsecast {

std::unique_ptr<Device> open_device(const std::string& name, int threads) {
  if (name == "host") return open_host(threads);
  throw Error(ErrorCode::unavailable, "no device '" + name + "' here", {},
              "`sparsecast devices` lists what can run here");
}

PresentDevices present_devices() { return {{host_properties()}, {}}; }

}  // namespace sparsecast
