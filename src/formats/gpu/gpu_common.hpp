#pragma once
// What the counts of several GPU kernels have in common (gpu_counts.hpp).

#include <cstdint>

#include "formats/gpu/gpu_counts.hpp"
#include "formats/workload.hpp"

namespace sparsecast::formats::gpu {

inline double real(std::int64_t value) { return static_cast<double>(value); }

/// Ends of rows that a branch predictor does not know, on a processor; a GPU has none, and waits in `idle` instead.
void count_rows_ends(const Structure& structure, double mispredicted, const GpuContext& context, Workload& workload);

/// On a processor: slots of rows that walk from one line to another at every step, two arrays each, beyond what the
/// first cache holds of such lines until the next row comes by.
[[nodiscard]] double walked_slots(double length, double rows);
[[nodiscard]] double walked_slots(const Structure& structure);

}  // namespace sparsecast::formats::gpu
