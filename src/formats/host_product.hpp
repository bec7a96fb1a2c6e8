#pragma once
// HostProduct: a matrix converted to one format, ready to be multiplied by the host's cores. One file per format
// implements it; the table of kernels (kernels.hpp) holds them all. A format has to say y = A·x and its size; all else
// has a default in host_product.cpp.

#include <mutex>
#include <sparsecast/structure.hpp>

#include "formats/parts/sizes.hpp"

namespace sparsecast::formats {
// Workspace: what a product may use beside its own arrays, working memory and threads. A call borrows an array and
// gives it back, so that calls one after the other use the same pages (fresh ones cost more than most products) and
// calls at once have arrays of their own.

/// Thread safety: any number of threads may borrow at once.
template <class Value>
class Workspace {
 public:
  /// `threads`: of the passes over vectors that come before or after a product's own loops.
  explicit Workspace(int threads) : threads_(threads) {}
  [[nodiscard]] int threads() const { return threads_; }

  /// An array that goes back when the borrower is gone, which must be before the Workspace is.
  class Loan {
   public:
    Loan(Workspace& home, Array<Value> array) : home_(&home), array_(std::move(array)) {}
    Loan(Loan&&) = delete;
    Loan& operator=(Loan&&) = delete;
    ~Loan() { home_->give_back(std::move(array_)); }
    [[nodiscard]] Value* data() { return array_.data(); }
    [[nodiscard]] std::span<Value> first(std::int64_t count) {
      return std::span<Value>(array_).first(static_cast<std::size_t>(count));
    }

   private:
    Workspace* home_;
    Array<Value> array_;
  };

  /// At least so many elements, not initialised. Error too_large where they cannot be had.
  [[nodiscard]] Loan borrow(std::int64_t count) {
    Array<Value> array;
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        array = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (static_cast<std::int64_t>(array.size()) < count) {
      array = {};  // what it holds is not worth a copy
      allocate(array, count, "the working memory of a product");
    }
    return Loan(*this, std::move(array));
  }

 private:
  void give_back(Array<Value> array) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      free_.push_back(std::move(array));
    } catch (...) {  // the list could not grow: the array is freed
      return;
    }
  }

  int threads_;
  std::mutex mutex_;
  std::vector<Array<Value>> free_;
};

/// y = alpha·(product) + beta·y. Where beta is 0, y is not read: it may hold anything, NaN too.
template <class Value>
struct Scaling {
  Value alpha = 1, beta = 0;
  [[nodiscard]] bool plain() const { return alpha == Value{1} && beta == Value{0}; }
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
  /// Where vector v begins. Vectors without entries need no memory, and from nowhere there is no way on.
  [[nodiscard]] Value* begin_of(std::int64_t v) const { return rows == 0 ? data : data + v * vector_stride; }
};

/// Columns first … last − 1.
struct ColumnRange {
  std::int64_t first = 0, last = INT64_MAX;
};

/// Dot products of y with a vector w and with itself, summed in double; of complex values w·y has w's conjugate.
template <class Value>
struct DotSums {
  std::conditional_t<is_complex_value<Value>, std::complex<double>, double> with_w{};
  double with_y = 0;

  DotSums& operator+=(const DotSums& other) {
    with_w += other.with_w;
    with_y += other.with_y;
    return *this;
  }
};

/// How a product deals rows to its parts: `bounds`, parts + 1 ascending rows, and within a part at every `step` rows
/// from its first on, are borders that apply_rows() may be cut at.
struct RowParts {
  std::vector<std::int64_t> bounds = {};
  std::int64_t step = 1;
};

/// y = A·x in Value: float, double or std::complex of either. Immutable after construction but for update_values():
/// concurrent calls of what is const are safe.
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

  /// Where some rows alone can be multiplied: their borders are multiples of so many rows, or the end; 0, the default:
  /// nowhere.
  [[nodiscard]] virtual std::int64_t row_step() const { return 0; }
  /// y of rows first … last − 1 on the calling thread; x and y are those of the whole matrix.
  virtual void apply_rows(std::int64_t first, std::int64_t last, const Value* x, Value* y) const;

  /// Rows whose dot products are taken as soon as they are written (product_dots.hpp); no bounds, the default: nowhere.
  [[nodiscard]] virtual RowParts row_parts() const { return {}; }
  /// y = A·x with dot products where rows are cut, in a way of its own; false, the default: there is none.
  [[nodiscard]] virtual bool apply_with_dots(const Value* /*w*/, const Value* /*x*/, Value* /*y*/,
                                             DotSums<Value>& /*sums*/) const {
    return false;
  }

  /// Parts that a transposed product is cut into, each with its own share of the entries; 0, the default: the format
  /// has none.
  [[nodiscard]] virtual int transposed_parts() const { return 0; }
  /// y += alpha·(entries of that part)ᵀ·x on the calling thread; x has rows entries, y cols. Only entries of y in
  /// transposed_columns(part) are there.
  virtual void add_transposed(int part, Value alpha, const Value* x, Value* y) const;
  /// Where the entries of that part are; the default: anywhere.
  [[nodiscard]] virtual ColumnRange transposed_columns(int /*part*/) const { return {}; }

  // Aᵀ·(A·x) in one pass over A (one_pass.hpp), by units: rows in succession, or slices of them.

  /// How many units there are; 0, the default: the format has no such product.
  [[nodiscard]] virtual std::int64_t one_pass_units() const { return 0; }
  /// parts + 1 ascending units from 0 on: of every part that a thread multiplies.
  [[nodiscard]] virtual std::vector<std::int64_t> one_pass_parts() const { return {}; }
  /// y += Σ over the rows of units first … last − 1, all of one part, of aᵢᵀ·(aᵢ·x), on the calling thread. Only
  /// entries of y in one_pass_columns(first, last) are there.
  virtual void add_one_pass(std::int64_t first, std::int64_t last, const Value* x, Value* y) const;
  /// Where the entries of those units are: every one is looked at.
  [[nodiscard]] virtual ColumnRange one_pass_columns(std::int64_t /*first*/, std::int64_t /*last*/) const { return {}; }

  /// Takes the values of a matrix with the pattern of the one that it was built from. False, the default: it has to be
  /// built again. A matrix of another pattern but the same sizes gives wrong results and no access out of bounds.
  /// Nobody else may use the product meanwhile.
  [[nodiscard]] virtual bool update_values(const Matrix& /*matrix*/) { return false; }
};

extern template class HostProduct<float>;
extern template class HostProduct<double>;
extern template class HostProduct<std::complex<float>>;
extern template class HostProduct<std::complex<double>>;

/// y = alpha·Aᵀ·x + beta·y by the parts of the product, which must have some. Parts add to pieces of y of their own,
/// which are summed in their order: the result depends on the number of parts alone.
template <class Value>
void apply_transposed(const HostProduct<Value>& product, const Scaling<Value>& scaling, std::span<const Value> x,
                      std::span<Value> y, Workspace<Value>& workspace);
/// The same for every vector of a block, one after the other.
template <class Value>
void apply_transposed_block(const HostProduct<Value>& product, const Scaling<Value>& scaling,
                            const Vectors<const Value>& x, const Vectors<Value>& y, Workspace<Value>& workspace);

template <class Value>
using BuildProduct = std::unique_ptr<HostProduct<Value>> (*)(const Matrix& matrix, int threads);

/// A kernel on the host.
struct HostKernel {
  /// Bytes that the format will take, known before anything is allocated; value_bytes is 4 or 8, of complex values 8 or
  /// 16.
  std::int64_t (*bytes)(const Structure& structure, int value_bytes) = nullptr;
  BuildProduct<float> build_single = nullptr;
  BuildProduct<double> build_double = nullptr;
  BuildProduct<std::complex<float>> build_complex_single = nullptr;  ///< none: real values only
  BuildProduct<std::complex<double>> build_complex_double = nullptr;
  std::string_view name = {};  ///< the table fills it in

  template <class Value>
  [[nodiscard]] std::unique_ptr<HostProduct<Value>> build(const Matrix& matrix, int threads) const {
    if constexpr (std::is_same_v<Value, float>) {
      return build_single(matrix, threads);
    } else if constexpr (std::is_same_v<Value, double>) {
      return build_double(matrix, threads);
    } else {
      require_complex();
      if constexpr (std::is_same_v<Value, std::complex<float>>)
        return build_complex_single(matrix, threads);
      else
        return build_complex_double(matrix, threads);
    }
  }

 private:
  /// Error failed where there is no such product.
  void require_complex() const;
};

/// Those of the table of kernels that run on the host.
std::span<const HostKernel> host_kernels();
/// nullptr for an unknown name.
const HostKernel* find_host_kernel(std::string_view name);

// Host products of the formats with their own indices exist for 32-bit and 64-bit ones; the sizes decide which is
// built.

/// Writes a macro out for every type of values with every type of indices.
#define SPARSECAST_FOR_INDICES(what) \
  what(float, std::int32_t) what(float, std::int64_t) what(double, std::int32_t) what(double, std::int64_t)

/// The same with those of complex values.
#define SPARSECAST_FOR_ALL_INDICES(what)                                          \
  SPARSECAST_FOR_INDICES(what)                                                    \
  what(std::complex<float>, std::int32_t) what(std::complex<float>, std::int64_t) \
      what(std::complex<double>, std::int32_t) what(std::complex<double>, std::int64_t)

/// Product<Value, Index> for the Index that index_bytes() chose.
template <template <class, class> class Product, class Value>
std::unique_ptr<HostProduct<Value>> build_with_index(const Matrix& matrix, int threads) {
  if (index_bytes(matrix.rows(), matrix.cols()) == 4)
    return std::make_unique<Product<Value, std::int32_t>>(matrix, threads);
  return std::make_unique<Product<Value, std::int64_t>>(matrix, threads);
}
}  // namespace sparsecast::formats
