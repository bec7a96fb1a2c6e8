#pragma once
// Matrix: the canonical in-memory sparse matrix, compressed sparse rows with sorted, distinct columns in every row.
// It is immutable and cheap to copy (copies share storage), so formats may alias its arrays; these are its own or lent
// by the caller (CsrView). It is not a solver's matrix class: nothing can be inserted.

#include <cstdint>
#include <memory>
#include <span>
#include <sparsecast/array.hpp>
#include <sparsecast/csr_view.hpp>
#include <sparsecast/precision.hpp>
#include <string>
#include <utility>
#include <variant>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Compressed sparse rows. Row r holds entries row_pointers[r] … row_pointers[r + 1] − 1.
/// Offset counts non-zeros, Index counts columns; both are 32-bit where that is enough. Thread safety: a value; threads
/// may share one that none of them changes.
template <class OffsetType, class IndexType>
struct Csr {
  using Offset = OffsetType;
  using Index = IndexType;

  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Array<Offset> row_pointers;    ///< rows + 1 entries, ascending, the first is 0
  Array<Index> column_indices;   ///< one per non-zero, 0-based, ascending within a row
  Array<double> values;          ///< one per non-zero; explicit zeros are kept
  Array<double> imaginary = {};  ///< imaginary parts of a complex matrix; `values` are the real ones; else empty
};

/// Where the non-zeros of a Matrix are, without their values; the arrays are as in Csr and belong to the Matrix.
template <class OffsetType, class IndexType>
struct CsrPattern {
  using Offset = OffsetType;
  using Index = IndexType;

  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::span<const Offset> row_pointers;
  std::span<const Index> column_indices;
};

/// The arrays of a Matrix; Value is double or, in a borrowed matrix, float; or std::complex of either.
template <class ValueType, class OffsetType, class IndexType>
struct CsrSpans : CsrPattern<OffsetType, IndexType> {
  using Value = ValueType;

  std::span<const Value> values;
};

/// The canonical matrix. Thread safety: immutable but for assignment; threads may share one, and each may have a copy.
class Matrix {
 public:
  /// Narrowest first; which one is in use follows from the sizes alone (see fits32).
  using Storage =
      std::variant<Csr<std::int32_t, std::int32_t>, Csr<std::int64_t, std::int32_t>, Csr<std::int64_t, std::int64_t>>;

  /// 0 × 0, without a name.
  Matrix();
  /// Takes over a valid CSR. Sizes are checked (Error bad_input). The caller guarantees order and range of the indices;
  /// is_canonical() checks them.
  Matrix(Storage storage, std::string name);
  /// Borrows the caller's arrays without copying them. Copies of the Matrix hold view.owner too. Error bad_input, with
  /// the first invalid row, if the arrays are not canonical CSR: unsorted and duplicate columns are refused, not fixed.
  /// The indices keep the caller's widths, whatever the sizes.
  Matrix(const CsrView& view, std::string name, CsrCheck check = CsrCheck::everything);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::int64_t cols() const noexcept { return cols_; }
  [[nodiscard]] std::int64_t nonzeros() const noexcept { return nonzeros_; }
  [[nodiscard]] bool is_complex() const noexcept { return values_.index() >= 2; }
  /// Size of the three arrays in bytes, borrowed or not.
  [[nodiscard]] std::int64_t bytes() const noexcept;  // NOLINT(bugprone-exception-escape): never valueless
  /// True if row pointers ascend from 0 to nonzeros(), and columns are in range and strictly ascending in every row.
  [[nodiscard]] bool is_canonical() const;
  /// The same matrix under another name.
  [[nodiscard]] Matrix renamed(std::string name) const;

  /// Calls f with the CsrSpans of the types in use: matrix.visit([](const auto& csr) { … csr.values[k] … }).
  /// Values are double or float, so code that sums them names the type of the sum. The spans may be copied and hold as
  /// long as the Matrix or a copy of it; the struct itself is gone when f returns. Error bad_input for complex values.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return visit_parts<double, float>(std::forward<F>(f));
  }
  /// The same for a matrix of complex values; Error bad_input for real ones.
  template <class F>
  decltype(auto) visit_complex(F&& f) const {
    return visit_parts<std::complex<double>, std::complex<float>>(std::forward<F>(f));
  }
  /// The same for a matrix of any values.
  template <class F>
  decltype(auto) visit_any(F&& f) const {
    return is_complex() ? visit_complex(f) : visit(f);
  }
  /// The same for values that can be converted to Value: any values if it is complex, otherwise real ones.
  template <class Value, class F>
  decltype(auto) visit_for(F&& f) const {
    if constexpr (is_complex_value<Value>) {
      return visit_any(std::forward<F>(f));
    } else {
      return visit(std::forward<F>(f));
    }
  }
  /// The same with the CsrPattern, for functions that do not read the values; it compiles to half as much code.
  template <class F>
  decltype(auto) visit_pattern(F&& f) const {
    return std::visit(std::forward<F>(f), pattern_);
  }
  /// The values in the type that is in use, one per non-zero.
  [[nodiscard]] const CsrView::Values& values() const noexcept { return values_; }

  /// True where 32 bits hold every value from 0 to count.
  static constexpr bool fits32(std::int64_t count) noexcept { return count <= INT32_MAX; }

 private:
  using Pattern = std::variant<CsrPattern<std::int32_t, std::int32_t>, CsrPattern<std::int64_t, std::int32_t>,
                               CsrPattern<std::int64_t, std::int64_t>>;
  void set_sizes();
  [[noreturn]] void refuse_values() const;
  template <class Wide, class Narrow, class F>
  decltype(auto) visit_parts(F&& f) const {
    return std::visit(
        [&]<class Offset, class Index>(const CsrPattern<Offset, Index>& pattern) -> decltype(auto) {
          if (const auto* wide = std::get_if<std::span<const Wide>>(&values_))
            return f(CsrSpans<Wide, Offset, Index>{pattern, *wide});
          if (const auto* narrow = std::get_if<std::span<const Narrow>>(&values_))
            return f(CsrSpans<Narrow, Offset, Index>{pattern, *narrow});
          refuse_values();
        },
        pattern_);
  }

  std::shared_ptr<const void> owner_;  // of the arrays: a Storage of our own, or the caller's
  Pattern pattern_;
  CsrView::Values values_;
  std::string name_;
  std::int64_t rows_ = 0, cols_ = 0, nonzeros_ = 0;
};

}  // namespace sparsecast
#pragma GCC visibility pop
