#pragma once
// What a GPU gives over the footprint, by device events: reading, copying, gathering as a product does, latency of a
// chain of loads, and the cost of a launch. The curves have the names and units of the host's.

#include <sparsecast/curve.hpp>
#include <vector>

#include "base/progress.hpp"
#include "devices/gpu/gpu_runtime.hpp"

namespace sparsecast::devices {

/// Adds "read_bandwidth" and "copy_bandwidth" (bytes/s over bytes read), "gather_rate" (elements/s over bytes of x),
/// "latency" (s over bytes) and "launch" (s per launch over launches queued at once), but for those that are there.
/// Interruptible: what is there by then is whole.
void measure_gpu_curves(std::vector<Curve>& curves, GpuRuntime& runtime, bool quick,
                        const base::ProgressFunction& progress = {});

}  // namespace sparsecast::devices
