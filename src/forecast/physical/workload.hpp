#pragma once
// The workload (formats/workload.hpp) of one product of a kernel on a device: the part that is every kernel's, with the
// reads of x that miss its caches, and what the table of kernels says that this one does.

#include <sparsecast/forecast.hpp>

#include "formats/workload.hpp"

namespace sparsecast::forecast {
using formats::ThreadPart;
using formats::Workload;

/// Of a value in double precision and its column.
inline constexpr double csr_entry_bytes = 12;

/// The part that is every kernel's alone, as of a feature record.
Workload estimated_workload(const Structure& structure, const std::string& kernel, const DeviceProperties& properties);

/// Amounts of one product of `kernel` (a name of the kernel table, or any other from an imported profile), counted
/// (Workload::exact) where the structure came from a matrix: on the host, and of our own kernels on a GPU.
Workload workload(const Structure& structure, const std::string& kernel, const DeviceProperties& properties,
                  Precision precision, int threads);
}  // namespace sparsecast::forecast
