#pragma once
// VendorLibrary: the products of a GPU vendor's own library, measured beside ours under the names vendor-….

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.hpp"

namespace sparsecast::devices {

class GpuRuntime;

class VendorLibrary {
 public:
  virtual ~VendorLibrary() = default;
  /// Names of its kernels, as in the kernel table.
  [[nodiscard]] virtual std::vector<std::string> kernels() const = 0;
  /// Bytes of the format's arrays; Error usage where the library has no such kernel.
  [[nodiscard]] virtual std::int64_t format_bytes(const Structure& structure, std::string_view kernel,
                                                  Precision precision) const = 0;
  /// As Device::prepare.
  virtual std::unique_ptr<Product> prepare(GpuRuntime& runtime, const Matrix& matrix, const Structure& structure,
                                           std::string_view kernel, Precision precision) = 0;
};

}  // namespace sparsecast::devices
