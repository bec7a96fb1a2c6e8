#pragma once
// Micro-benchmarks of the host: what its memory gives for a footprint, what a miss costs, what a parallel region costs.

#include <algorithm>
#include <cmath>
#include <sparsecast/curve.hpp>
#include <sparsecast/device.hpp>

#include "base/progress.hpp"

namespace sparsecast::hardware {
/// Appends what is not there yet, for so many threads:
/// - read_bandwidth: bytes/s summing an array, over its bytes (all threads together);
/// - gather_rate: elements/s of y += v[i]·x[index[i]] with random indices, over the bytes of x (all threads together);
/// - dot_bandwidth, update_bandwidth: bytes/s of both vectors in x·y and y += a·x, as solvers make them, over those
///   bytes (all threads together);
/// - latency: seconds of one dependent load, over the bytes of the ring (one thread);
/// - fresh_bandwidth: bytes/s of writing memory just asked for, in small pages and in huge ones (one thread);
/// - handover: seconds from a thread's store to a neighbour that sees it, x = threads (several threads);
/// - launch: seconds of one empty parallel region, x = threads.
void measure_host_curves(std::vector<Curve>& curves, const DeviceProperties& properties, int threads, bool quick,
                         const base::ProgressFunction& progress = {});

/// Elements that one pass of gather_rate takes out of an x of so many bytes: few enough that values and indices stay in
/// the first cache levels and enough to touch all of a large x over the passes.
[[nodiscard]] inline double gathers_of_a_pass(double x_bytes) {
  return std::clamp(std::floor(x_bytes / 8), 4096.0, 1048576.0);
}

/// Bytes/s that so many threads read together of an array of so many bytes.
double host_read_bandwidth(std::int64_t bytes, int threads);
/// Bytes/s of both vectors of y += a·x, which take so many bytes together; for about total_s, some passes at least.
double host_update_bandwidth(std::int64_t bytes, int threads, double total_s);
}  // namespace sparsecast::hardware
