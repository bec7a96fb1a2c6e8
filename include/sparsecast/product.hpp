#pragma once
// Which product of a matrix is meant: one value, from the command's options down to the kernels.
//
// Thread safety: a value.

#include <cstdint>
#include <sparsecast/fields.hpp>
#include <sparsecast/precision.hpp>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Y = A·X for so many vectors side by side, or Y = Aᵀ·X, in a precision.
struct ProductKind {
  std::int64_t vectors = 1;
  bool transposed = false;
  Precision precision = Precision::double_;
  /// y = A·x: what formats and kernels are calibrated with, and forecasts of other kinds are made from.
  [[nodiscard]] bool plain() const { return vectors == 1 && !transposed; }
};
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
#pragma GCC visibility pop
