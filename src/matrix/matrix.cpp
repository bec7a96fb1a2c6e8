#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <sparsecast/error.hpp>
#include <sparsecast/matrix.hpp>

#include "matrix/csr_order.hpp"

namespace sparsecast {
namespace {
struct IndexFault {
  std::string what;
  bool only_order = false;  // every index is one that there may be
};

// What is wrong with the order or range of the indices, for the first row with a fault. The row pointers end at the
// number of columns, so that while they ascend every column that they point to is there.
template <class Offset, class Index>
std::optional<IndexFault> fault_of(const CsrPattern<Offset, Index>& csr) {
  for (std::int64_t r = 0; r < csr.rows; ++r) {
    const auto begin = csr.row_pointers[r], end = csr.row_pointers[r + 1];
    if (end < begin)
      return IndexFault{fmt::format("row {} begins at non-zero {} and ends before {}", r, begin, end), false};
    if (end > csr.row_pointers[csr.rows])
      return IndexFault{fmt::format("row {} ends before non-zero {} of {}", r, end, csr.row_pointers[csr.rows]), false};
    if (begin == end) continue;
    const Index* columns = csr.column_indices.data();
    bool ascending = true;
    for (auto k = begin + 1; k < end; ++k) ascending &= columns[k - 1] < columns[k];
    // Where they ascend, the first and the last are the extremes.
    if (ascending && columns[begin] >= 0 && columns[end - 1] < csr.cols) continue;
    for (auto k = begin; k < end; ++k)
      if (columns[k] < 0 || columns[k] >= csr.cols)
        return IndexFault{fmt::format("row {} has column {} of {}, counted from 0", r, columns[k], csr.cols), false};
    for (auto k = begin + 1; k < end; ++k)
      if (columns[k] <= columns[k - 1])
        return IndexFault{fmt::format("row {} has column {} after column {}", r, columns[k], columns[k - 1]), true};
  }
  return std::nullopt;
}

template <class Offset, class Index>
CsrPattern<Offset, Index> pattern_of(const Csr<Offset, Index>& csr) {
  return {csr.rows, csr.cols, csr.row_pointers, csr.column_indices};
}

// What a Matrix owns. Complex values stand side by side, as kernels read them.
struct Owned {
  Matrix::Storage storage;
  Array<std::complex<double>> values;
};

Array<std::complex<double>> take_complex(Array<double>& real, Array<double>& imaginary, const std::string& name) {
  if (real.size() != imaginary.size())
    throw Error(ErrorCode::bad_input,
                fmt::format("not a CSR matrix: {} real and {} imaginary parts", real.size(), imaginary.size()), {name});
  Array<std::complex<double>> values(real.size());
  for (std::size_t k = 0; k < real.size(); ++k) values[k] = {real[k], imaginary[k]};
  real = imaginary = {};
  return values;
}
}  // namespace

Matrix::Matrix() : Matrix(Csr<std::int32_t, std::int32_t>{0, 0, Array<std::int32_t>(1, 0), {}, {}}, "empty") {}

Matrix::Matrix(Storage storage, std::string name) : name_(std::move(name)) {
  auto owner = std::make_shared<Owned>();
  owner->storage = std::move(storage);
  std::visit(
      [&](auto& csr) {
        pattern_ = pattern_of(csr);
        values_ = std::span<const double>(csr.values);
        if (csr.imaginary.empty()) return;
        owner->values = take_complex(csr.values, csr.imaginary, name_);
        values_ = std::span<const std::complex<double>>(owner->values);
      },
      owner->storage);
  owner_ = std::move(owner);
  set_sizes();
}

Matrix::Matrix(const CsrView& view, std::string name, CsrCheck check)
    : owner_(view.owner), values_(view.values), name_(std::move(name)) {
  std::visit(
      [&]<class Offset, class Index>(std::span<const Offset> row_pointers, std::span<const Index> column_indices) {
        if constexpr (sizeof(Offset) < sizeof(Index)) {
          throw Error(ErrorCode::bad_input, "not a CSR matrix: 32-bit row pointers beside 64-bit column indices",
                      {name_}, "give row pointers of 64 bits or columns of 32");
        } else {
          pattern_ = CsrPattern<Offset, Index>{view.rows, view.cols, row_pointers, column_indices};
        }
      },
      view.row_pointers, view.column_indices);
  set_sizes();
  if (check == CsrCheck::sizes) return;
  if (visit_pattern([](const auto& csr) { return matrix::is_in_order(csr); })) return;
  if (const auto fault = visit_pattern([](const auto& csr) { return fault_of(csr); }))
    throw Error(ErrorCode::bad_input, "not a canonical CSR matrix: " + fault->what, {name_},
                fault->only_order ? "sort the columns of every row and sum duplicates"
                                  : "correct the arrays or the sizes, which contradict each other");
}

void Matrix::refuse_values() const {
  throw Error(ErrorCode::bad_input,
              fmt::format("{} values where {} values are needed", is_complex() ? "complex" : "real",
                          is_complex() ? "real" : "complex"),
              {name_}, "use products on the host, their plans and their forecasts, which take both");
}

void Matrix::set_sizes() {
  visit_any([this](const auto& csr) {
    rows_ = csr.rows;
    cols_ = csr.cols;
    nonzeros_ = static_cast<std::int64_t>(csr.values.size());
    const auto pointers = static_cast<std::int64_t>(csr.row_pointers.size());
    if (rows_ < 0 || cols_ < 0 || pointers - 1 != rows_ || csr.column_indices.size() != csr.values.size())
      throw Error(ErrorCode::bad_input,
                  fmt::format("not a CSR matrix: {} rows, {} columns, {} row pointers, {} column indices, {} values",
                              rows_, cols_, pointers, csr.column_indices.size(), csr.values.size()),
                  {name_});
    if (csr.row_pointers.front() != 0 || csr.row_pointers.back() != nonzeros_)
      throw Error(ErrorCode::bad_input,
                  fmt::format("not a CSR matrix: row pointers from {} to {} for {} values", csr.row_pointers.front(),
                              csr.row_pointers.back(), nonzeros_),
                  {name_});
  });
}

std::int64_t Matrix::bytes() const noexcept {  // NOLINT(bugprone-exception-escape): never valueless
  return visit_any([](const auto& csr) {
    return static_cast<std::int64_t>(csr.row_pointers.size_bytes() + csr.column_indices.size_bytes() +
                                     csr.values.size_bytes());
  });
}

bool Matrix::is_canonical() const {
  return visit_pattern([](const auto& csr) { return !fault_of(csr); });
}

Matrix Matrix::renamed(std::string name) const {
  Matrix copy = *this;
  copy.name_ = std::move(name);
  return copy;
}
}  // namespace sparsecast
