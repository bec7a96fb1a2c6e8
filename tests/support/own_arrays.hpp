#pragma once
// A matrix's arrays in any types, as a program that keeps its own CSR would hold them, to be lent to the library.

#include <cstdint>
#include <memory>
#include <sparsecast/csr_view.hpp>
#include <sparsecast/matrix.hpp>
#include <vector>

namespace sparsecast::test {

template <class ValueType, class OffsetType, class IndexType>
struct OwnArrays {
  using Value = ValueType;
  using Offset = OffsetType;
  using Index = IndexType;

  explicit OwnArrays(const Matrix& matrix) : rows(matrix.rows()), cols(matrix.cols()) {
    matrix.visit([this](const auto& csr) {
      for (const auto pointer : csr.row_pointers) row_pointers.push_back(static_cast<Offset>(pointer));
      for (const auto column : csr.column_indices) column_indices.push_back(static_cast<Index>(column));
      for (const auto value : csr.values) values.push_back(static_cast<Value>(value));
    });
  }

  [[nodiscard]] CsrView view(std::shared_ptr<const void> owner = nullptr) const {
    return {rows, cols, row_pointers, column_indices, values, std::move(owner)};
  }
  /// A matrix of the library's own with the same index widths and the same values, in double.
  [[nodiscard]] Matrix copied() const {
    return {Csr<Offset, Index>{rows,
                               cols,
                               {row_pointers.begin(), row_pointers.end()},
                               {column_indices.begin(), column_indices.end()},
                               {values.begin(), values.end()}},
            "copied"};
  }

  std::int64_t rows, cols;
  std::vector<Offset> row_pointers;
  std::vector<Index> column_indices;
  std::vector<Value> values;
};

/// Every combination of types that may be lent (a list of test types).
template <template <class...> class Types>
using LentTypes = Types<OwnArrays<double, std::int32_t, std::int32_t>, OwnArrays<double, std::int64_t, std::int32_t>,
                        OwnArrays<double, std::int64_t, std::int64_t>, OwnArrays<float, std::int32_t, std::int32_t>,
                        OwnArrays<float, std::int64_t, std::int32_t>, OwnArrays<float, std::int64_t, std::int64_t>>;

}  // namespace sparsecast::test
