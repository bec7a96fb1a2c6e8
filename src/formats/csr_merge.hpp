#pragma once
// Host product `csr-merge`: CSR cut along the merge path.

#include <memory>

#include "formats/host_product.hpp"

namespace sparsecast::formats {
/// In so many parts, of as many rows and entries together each.
template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr_merge(const Matrix& matrix, int threads);
}  // namespace sparsecast::formats
