#include "forecast/physical/storage.hpp"

#include "formats/host_product.hpp"

namespace sparsecast::forecast {

std::int64_t storage_bytes(DeviceKind kind, const Structure& structure, const std::string& kernel,
                           Precision precision) {
  if (kind != DeviceKind::host) return 0;
  const formats::HostKernel* found = formats::find_host_kernel(kernel);
  return found == nullptr ? 0 : found->bytes(structure, value_bytes(precision));
}

}  // namespace sparsecast::forecast
