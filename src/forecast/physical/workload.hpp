#pragma once
// The workload (formats/workload.hpp) of one product of a kernel on a device: the part that is every kernel's, with the
// reads of x that miss its caches, and what the table of kernels says that this one does.

#include <sparsecast/device.hpp>
#include <sparsecast/profile.hpp>
#include <sparsecast/structure.hpp>
#include <string>

#include "formats/workload.hpp"

namespace sparsecast::forecast {

using formats::ThreadPart;
using formats::Workload;

/// Amounts of one product of `kernel` (a name of the kernel table, or any other from an imported profile).
Workload workload(const Structure& structure, const std::string& kernel, const DeviceProperties& properties,
                  Precision precision, int threads);

}  // namespace sparsecast::forecast
