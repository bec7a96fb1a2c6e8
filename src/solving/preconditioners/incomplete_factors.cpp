#include "solving/preconditioners/incomplete_factors.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "fields/wording.hpp"
#include "solving/laplacian.hpp"

namespace sparsecast::solving {
IncompleteFactors incomplete_factors(const Matrix& matrix, bool positive, std::string_view whose) {
  IncompleteFactors out;
  matrix.visit([&](const auto& csr) {
    out.values.assign(csr.values.begin(), csr.values.end());
    out.inverse.resize(static_cast<std::size_t>(csr.rows));
    std::vector<std::int64_t> diagonal(static_cast<std::size_t>(csr.rows));
    // Where the row at hand has each column; −1: nowhere.
    std::vector<std::int64_t> place(static_cast<std::size_t>(csr.rows), -1);
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      const std::int64_t first = csr.row_pointers[row], last = csr.row_pointers[row + 1];
      for (std::int64_t k = first; k < last; ++k) place[static_cast<std::size_t>(csr.column_indices[k])] = k;
      for (std::int64_t k = first; k < last && csr.column_indices[k] < row; ++k) {
        const std::int64_t above = csr.column_indices[k];
        const double multiplier = out.values[k] *= out.inverse[static_cast<std::size_t>(above)];
        for (std::int64_t j = diagonal[static_cast<std::size_t>(above)] + 1; j < csr.row_pointers[above + 1]; ++j)
          if (const std::int64_t at = place[static_cast<std::size_t>(csr.column_indices[j])]; at >= 0)
            out.values[at] -= multiplier * out.values[j];
      }
      const std::int64_t pivot = place[static_cast<std::size_t>(row)];
      const double value = pivot < 0 ? 0 : out.values[pivot];
      if (positive ? !(value > 0) : !(std::abs(value) > 0))
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: the pivot of row {} is {:g}{}", whose, row + 1, value,
                        positive && value < 0 ? ", so that it is not positive definite" : ""),
            {matrix.name()},
            wording::format("use {} jacobi or none, or {}", wording::option("preconditioner"), asking_for_spd()));
      diagonal[static_cast<std::size_t>(row)] = pivot;
      out.inverse[static_cast<std::size_t>(row)] = 1 / value;
      for (std::int64_t k = first; k < last; ++k) place[static_cast<std::size_t>(csr.column_indices[k])] = -1;
    }
  });
  return out;
}

double eliminations(const Matrix& matrix) {
  return matrix.visit_pattern([](const auto& csr) {
    double total = 0;
    std::vector<double> above_diagonal(static_cast<std::size_t>(csr.rows));
    const auto* columns = csr.column_indices.data();
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      std::int64_t k = csr.row_pointers[row];
      for (; k < csr.row_pointers[row + 1] && columns[k] < row; ++k)
        total += above_diagonal[static_cast<std::size_t>(columns[k])];
      above_diagonal[static_cast<std::size_t>(row)] =
          static_cast<double>(csr.row_pointers[row + 1] - k - (k < csr.row_pointers[row + 1] && columns[k] == row));
    }
    return total;
  });
}
}  // namespace sparsecast::solving
