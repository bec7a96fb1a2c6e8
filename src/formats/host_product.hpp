#pragma once
// HostProduct: a matrix converted to one format, ready to be multiplied by the host's cores. One file per format
// implements it; the table of kernels (kernels.hpp) holds them all.

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

/// A kernel on the host.
struct HostKernel {
  /// Bytes that the format will take, known before anything is allocated; value_bytes is 4 or 8.
  std::int64_t (*bytes)(const Structure& structure, int value_bytes) = nullptr;
  std::unique_ptr<HostProduct<float>> (*build_single)(const Matrix& matrix, int threads) = nullptr;
  std::unique_ptr<HostProduct<double>> (*build_double)(const Matrix& matrix, int threads) = nullptr;
  std::string_view name = {};  ///< the table fills it in
};

/// Those of the table of kernels that run on the host.
std::span<const HostKernel> host_kernels();
/// nullptr for an unknown name.
const HostKernel* find_host_kernel(std::string_view name);

}  // namespace sparsecast::formats
