#pragma once
// Matrix: the canonical in-memory sparse matrix, compressed sparse rows with sorted, distinct columns in every row.
// It is immutable and cheap to copy (copies share storage), so formats may alias its arrays. It is not a solver's
// matrix class: values are double whatever the product's precision, and nothing can be inserted.

#include <cstdint>
#include <memory>
#include <sparsecast/array.hpp>
#include <string>
#include <variant>

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
  Array<Offset> row_pointers;   ///< rows + 1 entries, ascending, the first is 0
  Array<Index> column_indices;  ///< one per non-zero, 0-based, ascending within a row
  Array<double> values;         ///< one per non-zero; explicit zeros are kept
};

/// The canonical matrix. Thread safety: immutable but for assignment; threads may share one, and each may have a copy.
class Matrix {
 public:
  /// Narrowest first; which one is in use follows from the sizes alone (see fits32).
  using Storage =
      std::variant<Csr<std::int32_t, std::int32_t>, Csr<std::int64_t, std::int32_t>, Csr<std::int64_t, std::int64_t>>;

  /// 0 × 0, without a name.
  Matrix();
  /// Takes over a valid CSR. Sizes are checked (Error bad_input); order and range of the indices are the caller's word,
  /// is_canonical() checks them.
  Matrix(Storage storage, std::string name);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::int64_t cols() const noexcept { return cols_; }
  [[nodiscard]] std::int64_t nonzeros() const noexcept { return nonzeros_; }
  /// Bytes of the three arrays.
  [[nodiscard]] std::int64_t bytes() const noexcept;  // NOLINT(bugprone-exception-escape): never valueless
  /// Row pointers start at 0 and ascend to nonzeros(); columns are in range and strictly ascending in every row.
  [[nodiscard]] bool is_canonical() const;
  /// The same matrix under another name.
  [[nodiscard]] Matrix renamed(std::string name) const;

  /// Calls f with the Csr that is in use: matrix.visit([](const auto& csr) { … }).
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), *storage_);
  }

  /// True where 32 bits hold every value from 0 to count.
  static constexpr bool fits32(std::int64_t count) noexcept { return count <= INT32_MAX; }

 private:
  std::shared_ptr<const Storage> storage_;
  std::string name_;
  std::int64_t rows_ = 0, cols_ = 0, nonzeros_ = 0;
};

}  // namespace sparsecast
