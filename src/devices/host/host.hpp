#pragma once
// The host as a device: its cores run the kernels of the table of kernels (formats/kernels.hpp).

#include "devices/device.hpp"

namespace sparsecast::hardware {
/// Properties of this machine with all cores that this process may use, from the operating system.
DeviceProperties host_properties();
std::unique_ptr<Device> open_host(int threads);
}  // namespace sparsecast::hardware
