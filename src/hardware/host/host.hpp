#pragma once
// The host as a device: its cores run the kernels of the table of kernels (formats/kernels.hpp).

#include "hardware/device.hpp"

namespace sparsecast::hardware {
/// On so many threads; 0: as many as base::thread_count() says.
std::unique_ptr<Device> open_host(int threads);
}  // namespace sparsecast::hardware
