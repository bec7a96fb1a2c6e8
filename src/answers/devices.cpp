// devices: those here, those described, and the self-check.

#include <algorithm>
#include <sparsecast/answers/devices.hpp>

#include "answers/inputs.hpp"
#include "base/interrupt.hpp"
#include "devices/description.hpp"
#include "devices/device.hpp"
#include "devices/self_check.hpp"

namespace sparsecast {
PresentDevices devices(const DevicesRequest& request) {
  const base::StopScope stop(request.listener.stop);
  hardware::PresentDevices present = hardware::present_devices();
  PresentDevices answer{.missing = std::move(present.missing)};
  for (const DeviceProperties& p : present.devices) answer.devices.push_back({p.name, p.model, p.kind, p, p.strips()});
  return answer;
}

DeviceDescription describe(const DescribeRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const DeviceProperties device = request.device == "host"            ? hardware::describe_host()
                                  : request.device.ends_with(".json") ? read_device(request.device)
                                                                      : describe_device(request.device);
  return {device.name, device, device.strips()};
}

Catalogue catalogue(const CatalogueRequest& /*request*/) {
  Catalogue answer;
  for (const std::string& name : described_devices()) {
    const DeviceProperties device = describe_device(name);
    answer.devices.push_back({device.name, device.model, device.kind, device});
  }
  return answer;
}

DeviceCheck check_device(const DeviceCheckRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const auto device = hardware::open_device(request.device, request.threads);
  DeviceCheck answer{.device = request.device,
                     .model = device->properties().model,
                     .driver = device->properties().driver,
                     .kernels = device->kernels()};
  answer.checks = hardware::check_kernels(
      *device, request.kernels, [&](const std::string& what) { answers::tell(request.listener.remark, what); });
  answer.wrong = std::ranges::count(answer.checks, false, &KernelCheck::agrees);
  return answer;
}
}  // namespace sparsecast
