#pragma once
// Products on a GPU: a matrix in one format in the device's memory and the launches that multiply it. Written once for
// every API (GpuRuntime).

#include "formats/gpu/gpu_shape.hpp"
#include "hardware/gpu/gpu_runtime.hpp"

namespace sparsecast::hardware {
/// How GPU products are cut into launches.
struct GpuLaunchLimits {
  /// Most groups per launch; 0: what the device allows. Small values make the tests stride over the grid as a matrix
  /// with more rows than a grid dimension would.
  std::int64_t most_groups = 0;
  int groups_per_unit = formats::gpu_groups_per_unit;  ///< of coo and csr-merge
};

/// Converts on the host, uploads, and compiles what is needed. Its own x and y are of so many vectors, one but for a
/// kernel with GpuText::blocks. Error too_large before anything is done.
std::unique_ptr<Product> make_gpu_product(GpuRuntime& runtime, const Matrix& matrix, const Structure& structure,
                                          std::string_view kernel, Precision precision, std::int64_t vectors,
                                          const GpuLaunchLimits& limits);

/// Error too_large, with the figures, where format_bytes and the vectors would not fit the device.
void refuse_if_too_large(const GpuRuntime& runtime, const Structure& structure, std::string_view kernel,
                         std::int64_t format_bytes, Precision precision, std::int64_t vectors);

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

std::unique_ptr<Device> gpu_device(std::unique_ptr<GpuRuntime> runtime, const GpuLaunchLimits& limits = {});
}  // namespace sparsecast::hardware
