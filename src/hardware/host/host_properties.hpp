#pragma once
// What the operating system tells of the host: processor, cores, caches, memory.

#include <sparsecast/device.hpp>

namespace sparsecast::hardware {
/// Properties of this machine with all cores that this process may use, from the operating system.
DeviceProperties host_properties();
}  // namespace sparsecast::hardware
