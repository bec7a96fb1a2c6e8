#pragma once
// Which product of a matrix is meant: one value, from the command's options down to the kernels.
//
// Thread safety: a value.

#include <cstdint>
#include <sparsecast/precision.hpp>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Y = A·X for so many vectors side by side, or Y = Aᵀ·X, in a precision.
struct ProductKind {
  std::int64_t vectors = 1;                  ///< side by side, a block by rows (on devices, by csr-stream)
  bool transposed = false;                   ///< on the host alone
  Precision precision = Precision::double_;  ///< precision of the values and vectors
  /// y = A·x: what formats and kernels are calibrated with, and forecasts of other kinds are made from.
  [[nodiscard]] bool plain() const { return vectors == 1 && !transposed; }
};

}  // namespace sparsecast
#pragma GCC visibility pop
