#pragma once
// HostProduct: a matrix converted to one format, ready to be multiplied by the host's cores. One file per format
// implements it; formats/host_kernels.cpp lists them in one table.

#include <cstdint>
#include <memory>
#include <span>
#include <sparsecast/matrix.hpp>
#include <sparsecast/structure.hpp>
#include <string_view>

namespace sparsecast::formats {

/// y = A·x in Value (float or double). Immutable after construction: concurrent calls of apply are safe.
template <class Value>
class HostProduct {
 public:
  virtual ~HostProduct() = default;
  /// x has cols entries, y has rows entries and is overwritten; they must not overlap.
  virtual void apply(std::span<const Value> x, std::span<Value> y) const = 0;
  /// Bytes of the format's arrays (those aliased from the Matrix included).
  [[nodiscard]] virtual std::int64_t bytes() const = 0;
};

/// One row of the table of host kernels.
struct HostKernel {
  std::string_view name;
  /// Bytes that the format will take, known before anything is allocated; value_bytes is 4 or 8.
  std::int64_t (*bytes)(const Structure& structure, int value_bytes);
  std::unique_ptr<HostProduct<float>> (*build_single)(const Matrix& matrix, int threads);
  std::unique_ptr<HostProduct<double>> (*build_double)(const Matrix& matrix, int threads);
};

std::span<const HostKernel> host_kernels();
/// nullptr for an unknown name.
const HostKernel* find_host_kernel(std::string_view name);

}  // namespace sparsecast::formats
