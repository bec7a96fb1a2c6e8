#pragma once
// The graph of a square matrix for orders and partitions: vertices are rows, and two are joined where A or Aᵀ has an
// entry. The diagonal makes no edges.

#include <sparsecast/matrix.hpp>

namespace sparsecast::matrix {
struct Graph {
  std::vector<std::int64_t> pointers;  ///< vertices + 1
  Array<std::int32_t> neighbours;      ///< of every vertex, ascending; every edge stands twice

  [[nodiscard]] std::int32_t vertices() const { return static_cast<std::int32_t>(pointers.size()) - 1; }
  [[nodiscard]] std::int64_t degree(std::int32_t vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return pointers[v + 1] - pointers[v];
  }
  [[nodiscard]] std::span<const std::int32_t> of(std::int32_t vertex) const {
    return std::span(neighbours)
        .subspan(static_cast<std::size_t>(pointers[static_cast<std::size_t>(vertex)]),
                 static_cast<std::size_t>(degree(vertex)));
  }
};

/// Error usage where the matrix is not square, too_large where its rows do not fit 32 bits.
[[nodiscard]] Graph symmetric_graph(const Matrix& matrix);
}  // namespace sparsecast::matrix
