#include "formats/gpu/gpu_shape.hpp"

#include <sparsecast/error.hpp>

#include "formats/kernels.hpp"

namespace sparsecast::formats {
std::int64_t gpu_format_bytes(const Structure& structure, std::string_view kernel, Precision precision) {
  const KernelInfo* info = find_kernel(kernel);
  if (info == nullptr || info->gpu.bytes == nullptr)
    throw Error(ErrorCode::usage, "GPUs have no kernel '" + std::string(kernel) + "'", {},
                unknown_kernel_remedy(kernel, false));
  return info->gpu.bytes(structure, value_bytes(precision));
}
}  // namespace sparsecast::formats
