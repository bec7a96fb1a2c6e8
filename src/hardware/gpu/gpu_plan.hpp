#pragma once
// A product that runs: arrays in the device's memory and the launches that multiply by them, for x and y of its own, as
// when it is timed, or for a caller's memory and queue.

#include "hardware/gpu/gpu_runtime.hpp"

namespace sparsecast::hardware {
/// A format's arrays in the device's memory, and one product y = A·x as a series of queued steps. What vendor kernels
/// (cusparse.cpp) and our own have in common.
struct GpuPlan {
  std::vector<std::unique_ptr<GpuBuffer>> arrays;
  std::vector<std::function<void(std::int64_t vectors)>> steps;  ///< of one vector, or of a block by rows
  std::vector<GpuBuffer*> scratch;                               ///< of `arrays`, what the steps write beside y
  std::vector<std::int64_t> scratch_bytes;                       ///< of each
  std::vector<std::size_t> zeros;                                ///< of them, which are zero between products
  std::int64_t bytes = 0;
  bool blocks = false;   ///< the steps take several vectors
  bool rebinds = false;  ///< the steps take x and y from their buffers at every launch, so that others may be bound
};
struct GpuShape {
  std::int64_t rows = 0, cols = 0, vectors = 1;
};
/// Wraps a plan whose steps read `x` and write `y`.
std::unique_ptr<Product> product_of_plan(GpuRuntime& runtime, GpuPlan plan, std::unique_ptr<GpuBuffer> x,
                                         std::unique_ptr<GpuBuffer> y, const GpuShape& shape, Precision precision,
                                         double preprocess_s);
}  // namespace sparsecast::hardware
