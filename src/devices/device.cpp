#include "devices/device.hpp"

#include <sparsecast/error.hpp>

namespace sparsecast::devices {

std::unique_ptr<Product> Device::prepare_task(const Matrix& matrix, const Structure& structure,
                                              const std::string& kernel, Precision precision, const ProductTask& task) {
  if (task.plain()) return prepare(matrix, structure, kernel, precision);
  throw Error(ErrorCode::unavailable,
              "the kernels of " + properties().name + " multiply one vector at a time, and by A and not its transpose",
              {}, "leave --vectors and --transposed away, or take the host");
}

void Product::enqueue(const void* /*x*/, void* /*y*/, std::int64_t /*first_row*/, int /*queue*/) {
  throw Error(ErrorCode::unavailable, "this product has no memory of a device's to work in");
}

}  // namespace sparsecast::devices
