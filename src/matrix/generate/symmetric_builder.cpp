#include "matrix/generate/symmetric_builder.hpp"

#include <algorithm>

namespace sparsecast::matrix {
Matrix build_symmetric(const RowRecipe& lower, std::uint64_t seed, std::string name, int threads) {
  RowRecipe recipe = lower;
  recipe.values = [](std::int64_t, std::span<const std::int32_t>, std::span<double>) {};
  const Matrix triangle = build_rows(recipe, name, threads);
  return triangle.visit([&](const auto& csr) {
    // Row r of the whole: its lower entries, the diagonal, and the rows that hold r in their lower part. Going through
    // the triangle by rows leaves these in ascending order.
    std::vector<std::int64_t> upper_starts(static_cast<std::size_t>(csr.rows) + 1, 0);
    for (const auto column : csr.column_indices) ++upper_starts[static_cast<std::size_t>(column) + 1];
    for (std::size_t r = 1; r < upper_starts.size(); ++r) upper_starts[r] += upper_starts[r - 1];
    std::vector<std::int32_t> upper(csr.column_indices.size());
    std::vector<std::int64_t> next(upper_starts.begin(), upper_starts.end() - 1);
    for (std::int64_t r = 0; r < csr.rows; ++r)
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k)
        upper[static_cast<std::size_t>(next[static_cast<std::size_t>(csr.column_indices[k])]++)] =
            static_cast<std::int32_t>(r);

    RowRecipe whole;
    whole.rows = whole.cols = csr.rows;
    whole.length = [&](std::int64_t r) {
      const auto u = static_cast<std::size_t>(r);
      return csr.row_pointers[r + 1] - csr.row_pointers[r] + 1 + upper_starts[u + 1] - upper_starts[u];
    };
    whole.columns = [&](std::int64_t r, std::span<std::int32_t> columns, DrawScratch&) {
      const auto u = static_cast<std::size_t>(r);
      auto out = std::copy(csr.column_indices.begin() + csr.row_pointers[r],
                           csr.column_indices.begin() + csr.row_pointers[r + 1], columns.begin());
      *out++ = static_cast<std::int32_t>(r);
      std::copy(upper.begin() + upper_starts[u], upper.begin() + upper_starts[u + 1], out);
    };
    whole.values = symmetric_values(seed);
    return build_rows(whole, std::move(name), threads);
  });
}
}  // namespace sparsecast::matrix
