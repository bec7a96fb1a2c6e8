#include "matrix/order/permuted.hpp"

#include <algorithm>
#include <sparsecast/csr_view.hpp>

#include "base/parallel_for.hpp"

namespace sparsecast::matrix {
namespace {
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
