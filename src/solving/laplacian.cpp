#include "solving/laplacian.hpp"

#include <algorithm>
#include <cstddef>
#include <sparsecast/error.hpp>
#include <utility>

#include "matrix/order/symmetric_graph.hpp"

namespace sparsecast::solving {
namespace {
template <class Offset>
Csr<Offset, std::int32_t> laplacian(const matrix::Graph& graph) {
  Csr<Offset, std::int32_t> out;
  out.rows = out.cols = graph.vertices();
  out.row_pointers.reserve(graph.pointers.size());
  out.row_pointers.push_back(0);
  out.column_indices.reserve(graph.neighbours.size() + graph.pointers.size());
  for (std::int32_t row = 0; row < graph.vertices(); ++row) {
    const std::span<const std::int32_t> neighbours = graph.of(row);
    const auto beyond = std::ranges::lower_bound(neighbours, row);
    out.column_indices.insert(out.column_indices.end(), neighbours.begin(), beyond);
    out.column_indices.push_back(row);
    out.column_indices.insert(out.column_indices.end(), beyond, neighbours.end());
    for (std::size_t k = out.values.size(); k < out.column_indices.size(); ++k)
      out.values.push_back(out.column_indices[k] == row ? static_cast<double>(neighbours.size() + 1) : -1.0);
    out.row_pointers.push_back(static_cast<Offset>(out.column_indices.size()));
  }
  return out;
}
}  // namespace

Matrix spd_shift(const Matrix& matrix) {
  if (matrix.rows() != matrix.cols())
    throw Error(ErrorCode::bad_input,
                fmt::format("a matrix of {} rows and {} columns has no graph Laplacian", matrix.rows(), matrix.cols()),
                {matrix.name()}, asking_for_spd() + " takes square matrices");
  const matrix::Graph graph = matrix::symmetric_graph(matrix);
  const std::string name = matrix.name() + "+spd";
  const bool narrow = Matrix::fits32(static_cast<std::int64_t>(graph.neighbours.size()) + matrix.rows());
  return narrow ? Matrix(laplacian<std::int32_t>(graph), name) : Matrix(laplacian<std::int64_t>(graph), name);
}
}  // namespace sparsecast::solving
