#pragma once
// The fields of <sparsecast/product.hpp>.

#include <sparsecast/product.hpp>

#include "fields/fields.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

template <>
struct Fields<ProductKind> {
  static constexpr std::string_view about = "Which product to make.";
  static constexpr auto table = std::tuple(
      field<&ProductKind::precision>("precision of the values and vectors"),
      field<&ProductKind::vectors>("number of vectors multiplied at once, stored by rows (on GPUs by csr-stream)",
                                   between(1, 1 << 20)),
      field<&ProductKind::transposed>("multiply by the transpose of the matrix (host only)"));
};

}  // namespace sparsecast
