#include "forecast/physical/storage.hpp"

#include <sparsecast/error.hpp>

#include "devices/gpu/gpu_product.hpp"
#include "formats/coo.hpp"
#include "formats/csr.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::forecast {

std::optional<std::int64_t> storage_bytes(DeviceKind kind, const Structure& structure, const std::string& kernel,
                                          Precision precision) {
  const int value = value_bytes(precision);
  if (kind == DeviceKind::host) {
    const formats::HostKernel* found = formats::find_host_kernel(kernel);
    if (found == nullptr) return std::nullopt;
    return found->bytes(structure, value);
  }
  const formats::KernelInfo* info = formats::find_kernel(kernel);
  if (info == nullptr || !info->on_gpu) return std::nullopt;
  if (info->format == formats::csr_format && kernel != "csr-merge") return formats::csr_bytes(structure, value);
  if (info->format == formats::coo_format) return formats::coo_bytes(structure, value);
  // The others' sizes are in the lengths of the rows, which a feature record does not have.
  if (info->vendor || structure.row_histogram.empty()) return std::nullopt;
  try {
    return devices::gpu_format_bytes(structure, kernel, precision);
  } catch (const Error&) {
    return std::nullopt;  // slices that nobody counted
  }
}

}  // namespace sparsecast::forecast
