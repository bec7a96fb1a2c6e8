#include "matrix/order/symmetric_graph.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>
#include <sparsecast/error.hpp>

#include "base/parallel_for.hpp"


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

template <class Value, class Offset, class Index>
struct PermutedArrays {
  Array<Offset> row_pointers;
  Array<Index> columns;
  Array<Value> values;
};

template <class Value, class Index>
struct PermutedEntry {
  Index column;
  Value value;
};

// Rows that one thread takes at a time.
constexpr std::int64_t permuted_chunk = 4096;
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

Matrix permuted(const Matrix& matrix, std::span<const std::int64_t> old_place, int threads) {
  return matrix.visit([&]<class Value, class Offset, class Index>(const CsrSpans<Value, Offset, Index>& csr) {
    const auto arrays = std::make_shared<PermutedArrays<Value, Offset, Index>>();
    Array<Index> new_place(old_place.size());
    for (std::size_t p = 0; p < old_place.size(); ++p)
      new_place[static_cast<std::size_t>(old_place[p])] = static_cast<Index>(p);
    arrays->row_pointers.resize(old_place.size() + 1);
    arrays->row_pointers[0] = 0;
    for (std::size_t p = 0; p < old_place.size(); ++p)
      arrays->row_pointers[p + 1] =
          arrays->row_pointers[p] + csr.row_pointers[old_place[p] + 1] - csr.row_pointers[old_place[p]];
    arrays->columns.resize(csr.column_indices.size());
    arrays->values.resize(csr.values.size());
    const std::int64_t chunks = (csr.rows + permuted_chunk - 1) / permuted_chunk;
    base::parallel_for(chunks, {threads, true}, [&](std::int64_t chunk) {
      std::vector<PermutedEntry<Value, Index>> row;
      const std::int64_t end = std::min(csr.rows, (chunk + 1) * permuted_chunk);
      for (std::int64_t p = chunk * permuted_chunk; p < end; ++p) {
        const std::int64_t old = old_place[static_cast<std::size_t>(p)];
        row.clear();
        for (auto k = csr.row_pointers[old]; k < csr.row_pointers[old + 1]; ++k)
          row.push_back({new_place[static_cast<std::size_t>(csr.column_indices[k])], csr.values[k]});
        std::ranges::sort(row, {}, &PermutedEntry<Value, Index>::column);
        auto k = static_cast<std::size_t>(arrays->row_pointers[static_cast<std::size_t>(p)]);
        for (const PermutedEntry<Value, Index>& entry : row) {
          arrays->columns[k] = entry.column;
          arrays->values[k++] = entry.value;
        }
      }
    });
    const CsrView view{.rows = csr.rows,
                       .cols = csr.cols,
                       .row_pointers = std::span<const Offset>(arrays->row_pointers),
                       .column_indices = std::span<const Index>(arrays->columns),
                       .values = std::span<const Value>(arrays->values),
                       .owner = arrays};
    return Matrix(view, matrix.name(), CsrCheck::sizes);
  });
}
}  // namespace sparsecast::matrix
