#include "matrix/order/symmetric_graph.hpp"

#include <fmt/format.h>
#include <numeric>
#include <sparsecast/error.hpp>

namespace sparsecast::matrix {
namespace {
// Columns of Aᵀ, row by row; they ascend because the rows of A are gone through in order.
struct Transposed {
  std::vector<std::int64_t> pointers;
  Array<std::int32_t> columns;
};

template <class Offset, class Index>
Transposed transpose(const CsrPattern<Offset, Index>& csr) {
  Transposed result;
  result.pointers.assign(static_cast<std::size_t>(csr.cols) + 1, 0);
  for (const Index column : csr.column_indices) ++result.pointers[static_cast<std::size_t>(column) + 1];
  std::partial_sum(result.pointers.begin(), result.pointers.end(), result.pointers.begin());
  result.columns.resize(csr.column_indices.size());
  std::vector<std::int64_t> next(result.pointers.begin(), result.pointers.end() - 1);
  for (std::int64_t row = 0; row < csr.rows; ++row)
    for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
      result.columns[static_cast<std::size_t>(next[static_cast<std::size_t>(csr.column_indices[k])]++)] =
          static_cast<std::int32_t>(row);
  return result;
}
}  // namespace

Graph symmetric_graph(const Matrix& matrix) {
  if (matrix.rows() != matrix.cols())
    throw Error(ErrorCode::usage,
                fmt::format("{} rows and {} columns: only a square matrix has the graph that orders its rows",
                            matrix.rows(), matrix.cols()),
                {matrix.name()});
  if (!Matrix::fits32(matrix.rows()))
    throw Error(ErrorCode::too_large, fmt::format("{} rows: orders count vertices in 32 bits", matrix.rows()),
                {matrix.name()});
  return matrix.visit_pattern([](const auto& csr) {
    const Transposed other = transpose(csr);
    Graph graph;
    graph.pointers.assign(static_cast<std::size_t>(csr.rows) + 1, 0);
    graph.neighbours.resize(2 * csr.column_indices.size());
    std::int32_t* out = graph.neighbours.data();
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      const auto* a = csr.column_indices.data() + csr.row_pointers[row];
      const auto* const a_end = csr.column_indices.data() + csr.row_pointers[row + 1];
      const std::int32_t* b = other.columns.data() + other.pointers[static_cast<std::size_t>(row)];
      const std::int32_t* const b_end = other.columns.data() + other.pointers[static_cast<std::size_t>(row) + 1];
      while (a != a_end || b != b_end) {
        const bool from_a = b == b_end || (a != a_end && *a <= *b), from_b = a == a_end || (b != b_end && *b <= *a);
        const auto vertex = static_cast<std::int32_t>(from_a ? *a : *b);
        a += from_a;
        b += from_b;
        if (vertex != row) *out++ = vertex;
      }
      graph.pointers[static_cast<std::size_t>(row) + 1] = out - graph.neighbours.data();
    }
    graph.neighbours.resize(static_cast<std::size_t>(graph.pointers.back()));
    return graph;
  });
}
}  // namespace sparsecast::matrix
