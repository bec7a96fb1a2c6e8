#pragma once
// HostProduct: a matrix converted to one format, ready to be multiplied by the host's cores. One file per format
// implements it; the table of kernels (kernels.hpp) holds them all. A format has to say y = A·x and its size; all else
// has a default in host_product.cpp.

#include <cstdint>
#include <memory>
#include <span>
#include <sparsecast/matrix.hpp>
#include <sparsecast/structure.hpp>
#include <string_view>
#include <type_traits>

#include "formats/workspace.hpp"

namespace sparsecast::formats {

/// y = alpha·(product) + beta·y. Where beta is 0, y is not read: it may hold anything, NaN too.
template <class Value>
struct Scaling {
  Value alpha = 1, beta = 0;
  [[nodiscard]] bool plain() const { return alpha == 1 && beta == 0; }
};

/// Vectors side by side: entry i of vector v is data[i·row_stride + v·vector_stride].
template <class Value>
struct Vectors {
  Value* data = nullptr;
  std::int64_t rows = 0, vectors = 1;
  std::int64_t row_stride = 1, vector_stride = 1;

  [[nodiscard]] Vectors from_row(std::int64_t row, std::int64_t count) const {
    return {data + row * row_stride, count, vectors, row_stride, vector_stride};
  }
};

/// Columns first … last − 1.
struct ColumnRange {
  std::int64_t first = 0, last = INT64_MAX;
};

/// y = A·x in Value (float or double). Immutable after construction but for update_values(): concurrent calls of what
/// is const are safe.
template <class Value>
class HostProduct {
 public:
  virtual ~HostProduct() = default;
  /// x has cols entries, y has rows entries and is overwritten; they must not overlap.
  virtual void apply(std::span<const Value> x, std::span<Value> y) const = 0;
  /// Bytes of the format's arrays (those aliased from the Matrix included).
  [[nodiscard]] virtual std::int64_t bytes() const = 0;

  /// y = alpha·A·x + beta·y. The default multiplies into working memory and adds from there.
  virtual void apply_scaled(const Scaling<Value>& scaling, std::span<const Value> x, std::span<Value> y,
                            Workspace<Value>& workspace) const;
  /// The same for every vector of a block. The default takes one after the other.
  virtual void apply_block(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                           Workspace<Value>& workspace) const;

  /// Parts that a transposed product is cut into, each with its own share of the entries; 0, the default: the format
  /// has none.
  [[nodiscard]] virtual int transposed_parts() const { return 0; }
  /// y += alpha·(entries of that part)ᵀ·x on the calling thread; x has rows entries, y cols. Only entries of y in
  /// transposed_columns(part) are there.
  virtual void add_transposed(int part, Value alpha, const Value* x, Value* y) const;
  /// Where the entries of that part are; the default: anywhere.
  [[nodiscard]] virtual ColumnRange transposed_columns(int /*part*/) const { return {}; }

  /// Takes the values of a matrix with the pattern of the one that it was built from. False, the default: it has to be
  /// built again. A matrix of another pattern but the same sizes gives wrong results and no access out of bounds.
  /// Nobody else may use the product meanwhile.
  [[nodiscard]] virtual bool update_values(const Matrix& /*matrix*/) { return false; }
};

extern template class HostProduct<float>;
extern template class HostProduct<double>;

/// y = alpha·Aᵀ·x + beta·y by the parts of the product, which must have some. Parts add to pieces of y of their own,
/// which are summed in their order: the result depends on the number of parts alone.
template <class Value>
void apply_transposed(const HostProduct<Value>& product, const Scaling<Value>& scaling, std::span<const Value> x,
                      std::span<Value> y, Workspace<Value>& workspace);
/// The same for every vector of a block, one after the other.
template <class Value>
void apply_transposed_block(const HostProduct<Value>& product, const Scaling<Value>& scaling,
                            const Vectors<const Value>& x, const Vectors<Value>& y, Workspace<Value>& workspace);

/// A kernel on the host.
struct HostKernel {
  /// Bytes that the format will take, known before anything is allocated; value_bytes is 4 or 8.
  std::int64_t (*bytes)(const Structure& structure, int value_bytes) = nullptr;
  std::unique_ptr<HostProduct<float>> (*build_single)(const Matrix& matrix, int threads) = nullptr;
  std::unique_ptr<HostProduct<double>> (*build_double)(const Matrix& matrix, int threads) = nullptr;
  std::string_view name = {};  ///< the table fills it in

  template <class Value>
  [[nodiscard]] std::unique_ptr<HostProduct<Value>> build(const Matrix& matrix, int threads) const {
    if constexpr (std::is_same_v<Value, float>) {
      return build_single(matrix, threads);
    } else {
      return build_double(matrix, threads);
    }
  }
};

/// Those of the table of kernels that run on the host.
std::span<const HostKernel> host_kernels();
/// nullptr for an unknown name.
const HostKernel* find_host_kernel(std::string_view name);

}  // namespace sparsecast::formats
