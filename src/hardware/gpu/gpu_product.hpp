#pragma once
// Products by our own kernels: a matrix is converted on the host, its arrays are uploaded, and the launches noted that
// multiply by them (gpu_plan.hpp). Written once for every API (GpuRuntime).

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

std::unique_ptr<Device> gpu_device(std::unique_ptr<GpuRuntime> runtime, const GpuLaunchLimits& limits = {});
}  // namespace sparsecast::hardware
