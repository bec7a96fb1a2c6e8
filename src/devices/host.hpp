#pragma once
// The host as a device: its cores run the kernels of formats/host_kernels.cpp.

#include "devices/device.hpp"

namespace sparsecast {

/// Properties of this machine for so many threads (0: all available cores), from the operating system.
DeviceProperties host_properties(int threads);
std::unique_ptr<Device> open_host(int threads);

}  // namespace sparsecast
