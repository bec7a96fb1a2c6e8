#pragma once
// The host's products with x and y of their own, as they are timed.

#include <memory>
#include <sparsecast/array.hpp>

#include "devices/device.hpp"
#include "formats/host_product.hpp"

namespace sparsecast::devices {

/// y = A·x.
template <class Value>
[[nodiscard]] std::unique_ptr<Product> timed_product(std::unique_ptr<formats::HostProduct<Value>> product,
                                                     const Matrix& matrix, double preprocess_s);
/// Any task but that one. A transposed one needs a product that has it.
template <class Value>
[[nodiscard]] std::unique_ptr<Product> timed_task(std::unique_ptr<formats::HostProduct<Value>> product,
                                                  const Matrix& matrix, const ProductTask& task, int threads,
                                                  double preprocess_s);

}  // namespace sparsecast::devices
