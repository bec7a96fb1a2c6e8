#include <fmt/format.h>

#include <sparsecast/error.hpp>
#include <sparsecast/matrix.hpp>
#include <utility>

namespace sparsecast {

Matrix::Matrix() : Matrix(Csr<std::int32_t, std::int32_t>{0, 0, Array<std::int32_t>(1, 0), {}, {}}, "empty") {}

Matrix::Matrix(Storage storage, std::string name)
    : storage_(std::make_shared<const Storage>(std::move(storage))), name_(std::move(name)) {
  visit([this](const auto& csr) {
    rows_ = csr.rows;
    cols_ = csr.cols;
    nonzeros_ = static_cast<std::int64_t>(csr.values.size());
    const auto pointers = static_cast<std::int64_t>(csr.row_pointers.size());
    if (rows_ < 0 || cols_ < 0 || pointers != rows_ + 1 || csr.column_indices.size() != csr.values.size() ||
        csr.row_pointers.front() != 0 || csr.row_pointers.back() != nonzeros_) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("not a CSR matrix: {} rows, {} row pointers, {} columns indices, {} values", rows_,
                              pointers, csr.column_indices.size(), csr.values.size()),
                  {name_});
    }
  });
}

std::int64_t Matrix::bytes() const noexcept {  // NOLINT(bugprone-exception-escape): never valueless
  return visit([](const auto& csr) {
    using C = std::decay_t<decltype(csr)>;
    return static_cast<std::int64_t>(csr.row_pointers.size() * sizeof(typename C::Offset) +
                                     csr.values.size() * (sizeof(typename C::Index) + sizeof(double)));
  });
}

bool Matrix::is_canonical() const {
  return visit([](const auto& csr) {
    for (std::int64_t r = 0; r < csr.rows; ++r) {
      const auto begin = csr.row_pointers[r], end = csr.row_pointers[r + 1];
      if (end < begin) return false;
      for (auto k = begin; k < end; ++k) {
        const auto column = csr.column_indices[k];
        if (column < 0 || column >= csr.cols || (k > begin && column <= csr.column_indices[k - 1])) return false;
      }
    }
    return true;
  });
}

Matrix Matrix::renamed(std::string name) const {
  Matrix copy = *this;
  copy.name_ = std::move(name);
  return copy;
}

}  // namespace sparsecast
