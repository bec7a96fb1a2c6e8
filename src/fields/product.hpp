#pragma once
// The fields of <sparsecast/product.hpp>.

#include <sparsecast/product.hpp>

#include "fields/fields.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

template <>
struct Fields<ProductKind> {
  static constexpr std::string_view about = "Which product is meant.";
  static constexpr auto table = std::tuple(
      field<&ProductKind::precision>("of the values and vectors"),
      field<&ProductKind::vectors>("multiply so many vectors at once, a block by rows (on devices, by csr-stream)",
                                   between(1, 1 << 20)),
      field<&ProductKind::transposed>("multiply by the transpose of the matrix (the host alone)"));
};

}  // namespace sparsecast
