#pragma once
// Host products of the formats with their own indices exist for 32-bit and 64-bit ones; the sizes decide which is
// built.

#include <memory>

#include "formats/host_product.hpp"
#include "formats/parts/sizes.hpp"

namespace sparsecast::formats {

/// Product<Value, Index> for the Index that index_bytes() chose.
template <template <class, class> class Product, class Value>
std::unique_ptr<HostProduct<Value>> build_with_index(const Matrix& matrix, int threads) {
  if (index_bytes(matrix.rows(), matrix.cols()) == 4)
    return std::make_unique<Product<Value, std::int32_t>>(matrix, threads);
  return std::make_unique<Product<Value, std::int64_t>>(matrix, threads);
}

}  // namespace sparsecast::formats
