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

}  // namespace sparsecast::devices
