#include "formats/reference.hpp"

#include <cmath>
#include <limits>

namespace sparsecast::formats {
namespace {
template <class Value>
double gamma(std::int64_t count) {
  const double nu = static_cast<double>(count) * std::numeric_limits<Value>::epsilon() / 2;
  return nu < 1 ? nu / (1 - nu) : std::numeric_limits<double>::infinity();
}
}  // namespace

template <class Value>
ReferenceProduct reference_product(const Matrix& matrix, std::span<const Value> x) {
  ReferenceProduct product;
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      const std::int64_t begin = csr.row_pointers[row], end = csr.row_pointers[row + 1];
      double sum = 0, magnitude = 0;
      for (std::int64_t k = begin; k < end; ++k) {
        const double term =
            static_cast<double>(static_cast<Value>(csr.values[k])) * static_cast<double>(x[csr.column_indices[k]]);
        sum += term;
        magnitude += std::abs(term);
      }
      product.y.push_back(sum);
      product.bound.push_back(begin == end ? 0 : (gamma<Value>(end - begin) + gamma<double>(end - begin)) * magnitude);
    }
  });
  return product;
}

template ReferenceProduct reference_product(const Matrix&, std::span<const float>);
template ReferenceProduct reference_product(const Matrix&, std::span<const double>);
}  // namespace sparsecast::formats
