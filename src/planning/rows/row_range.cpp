#include "planning/rows/row_range.hpp"

#include "formats/parts/row_lengths.hpp"
#include "formats/simd/complex_sums.hpp"
#include "formats/simd/row_sums.hpp"

namespace sparsecast::planning {
namespace {
template <class Offset>
struct RangeOwner {
  explicit RangeOwner(const Matrix& matrix) : whole(matrix) {}

  Matrix whole;
  Array<Offset> row_pointers;
};

template <class Value, class Offset, class Index>
class SortedRows final : public formats::HostProduct<Value> {
 public:
  template <class Given>
  SortedRows(const CsrSpans<Given, Offset, Index>& csr, Array<Index> order)
      : cols_(csr.cols), order_(std::move(order)) {
    formats::allocate(row_pointers_, csr.rows + 1, "sorted rows");
    formats::allocate(columns_, static_cast<std::int64_t>(csr.column_indices.size()), "sorted rows");
    formats::allocate(values_, static_cast<std::int64_t>(csr.values.size()), "sorted rows");
    Offset to = 0;
    for (std::int64_t position = 0; position < csr.rows; ++position) {
      row_pointers_[position] = to;
      const Index row = order_[position];
      for (Offset from = csr.row_pointers[row]; from < csr.row_pointers[row + 1]; ++from, ++to) {
        columns_[to] = csr.column_indices[from];
        values_[to] = static_cast<Value>(csr.values[from]);
      }
    }
    row_pointers_[csr.rows] = to;
  }

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    const auto rows = static_cast<std::int64_t>(order_.size());
    const auto sums = formats::row_sums<Value, Offset, Index>();
    std::array<Value, sorted_window_rows> window;
    for (std::int64_t first = 0; first < rows; first += sorted_window_rows) {
      const std::int64_t count = std::min(sorted_window_rows, rows - first);
      const formats::CsrArrays<Value, Offset, Index> view{count, cols_, row_pointers_.data() + first, columns_.data(),
                                                          values_.data()};
      sums.rows(view, 0, count, x.data(), window.data());
      for (std::int64_t i = 0; i < count; ++i) y[order_[first + i]] = window[i];
    }
  }

  [[nodiscard]] int transposed_parts() const override { return 1; }
  void add_transposed(int /*part*/, Value alpha, const Value* x, Value* y) const override {
    for (std::size_t position = 0; position < order_.size(); ++position) {
      const Value of_row = formats::scaled_by(alpha, x[order_[position]]);
      for (Offset k = row_pointers_[position]; k < row_pointers_[position + 1]; ++k)
        y[columns_[k]] += of_row * values_[k];
    }
  }
  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    matrix.visit([&](const auto& csr) {
      for (std::size_t position = 0; position < order_.size(); ++position) {
        const auto row = order_[position];
        Offset to = row_pointers_[position];
        for (auto from = csr.row_pointers[row]; from < csr.row_pointers[row + 1] && to < row_pointers_[position + 1];
             ++from, ++to)
          values_[to] = static_cast<Value>(csr.values[from]);
      }
    });
    return true;
  }

  [[nodiscard]] std::int64_t bytes() const override {
    return formats::array_bytes(order_) + formats::array_bytes(row_pointers_) + formats::array_bytes(columns_) +
           formats::array_bytes(values_);
  }

 private:
  std::int64_t cols_;
  Array<Index> order_;  // row at each position
  Array<Offset> row_pointers_;
  Array<Index> columns_;
  Array<Value> values_;
};

// Clang 14 else leaves the virtual functions out of what it makes for the lambda below.
template class SortedRows<float, std::int32_t, std::int32_t>;
template class SortedRows<float, std::int64_t, std::int32_t>;
template class SortedRows<float, std::int64_t, std::int64_t>;
template class SortedRows<double, std::int32_t, std::int32_t>;
template class SortedRows<double, std::int64_t, std::int32_t>;
template class SortedRows<double, std::int64_t, std::int64_t>;
}  // namespace

Matrix row_range(const Matrix& matrix, std::int64_t first, std::int64_t last) {
  if (first == 0 && last == matrix.rows()) return matrix;
  return matrix.visit([&]<class Value, class Offset, class Index>(const CsrSpans<Value, Offset, Index>& csr) {
    const auto owner = std::make_shared<RangeOwner<Offset>>(matrix);
    formats::allocate(owner->row_pointers, last - first + 1, "a block of rows");
    const Offset begin = csr.row_pointers[first], count = csr.row_pointers[last] - begin;
    for (std::int64_t row = first; row <= last; ++row) owner->row_pointers[row - first] = csr.row_pointers[row] - begin;
    const CsrView rows{.rows = last - first,
                       .cols = csr.cols,
                       .row_pointers = owner->row_pointers,
                       .column_indices = csr.column_indices.subspan(begin, count),
                       .values = csr.values.subspan(begin, count),
                       .owner = owner};
    return Matrix(rows, matrix.name(), CsrCheck::sizes);
  });
}

template <class Value>
std::unique_ptr<formats::HostProduct<Value>> build_sorted_rows(const Matrix& matrix) {
  return matrix.visit([&](const auto& csr) -> std::unique_ptr<formats::HostProduct<Value>> {
    using C = std::decay_t<decltype(csr)>;
    using Index = typename C::Index;
    return std::make_unique<SortedRows<Value, typename C::Offset, Index>>(
        csr, formats::rows_by_length<Index>(matrix, sorted_window_rows, 1));
  });
}

template std::unique_ptr<formats::HostProduct<float>> build_sorted_rows(const Matrix&);
template std::unique_ptr<formats::HostProduct<double>> build_sorted_rows(const Matrix&);
}  // namespace sparsecast::planning
