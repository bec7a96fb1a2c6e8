#include "solve/shared_rows.hpp"

namespace sparsecast::solve {
namespace {

// Of the lines of x, which part `part` of the product reads: 1.
template <class Pattern>
std::vector<char> lines_read(const Pattern& csr, const std::vector<std::int64_t>& bounds, int part,
                             std::int64_t of_line) {
  std::vector<char> read(static_cast<std::size_t>((csr.cols + of_line - 1) / of_line), 0);
  const auto end = csr.row_pointers[bounds[static_cast<std::size_t>(part) + 1]];
  for (auto k = csr.row_pointers[bounds[static_cast<std::size_t>(part)]]; k < end; ++k)
    read[static_cast<std::size_t>(csr.column_indices[k] / of_line)] = 1;
  return read;
}

}  // namespace

SharedRows::SharedRows(const Matrix& matrix, int threads) {
  if (threads <= 1 || matrix.rows() != matrix.cols() || matrix.rows() == 0) return;
  const std::int64_t rows = matrix.rows();
  std::vector<std::vector<char>> read(static_cast<std::size_t>(threads));
  matrix.visit_pattern([&](const auto& csr) {
    const std::vector<std::int64_t> bounds = formats::rows_by_nonzeros(csr.row_pointers.data(), csr.rows, threads);
    formats::for_each_part(
        threads, [&](int part) { read[static_cast<std::size_t>(part)] = lines_read(csr, bounds, part, line); });
  });
  stretches_.assign(static_cast<std::size_t>((rows + stretch - 1) / stretch), 0);
  std::vector<double> foreign(static_cast<std::size_t>(threads), 0);
  for (std::size_t s = 0; s < stretches_.size(); ++s) {
    const std::int64_t first = static_cast<std::int64_t>(s) * stretch / line;
    const std::int64_t last = std::min(first + stretch / line, (rows + line - 1) / line);
    std::vector<double> of_stretch(foreign.size(), 0);
    std::int64_t shared = 0;
    for (std::int64_t l = first; l < last; ++l) {
      bool by_others = false;
      for (int part = 0; part < threads; ++part) {
        const bool own = l * line >= pass_begin(rows, part, threads) && l * line < pass_begin(rows, part + 1, threads);
        if (own || read[static_cast<std::size_t>(part)][static_cast<std::size_t>(l)] == 0) continue;
        by_others = true;
        of_stretch[static_cast<std::size_t>(part)] += 1;
      }
      shared += by_others ? 1 : 0;
    }
    stretches_[s] = 2 * shared >= last - first ? 1 : 0;
    for (std::size_t part = 0; part < foreign.size(); ++part) foreign[part] += of_stretch[part];
  }
  lines_ = *std::ranges::max_element(foreign);
}

std::int64_t SharedRows::end_of_stretch(std::int64_t row) const {
  auto s = static_cast<std::size_t>(row / stretch);
  const char like = stretches_[s];
  while (s < stretches_.size() && stretches_[s] == like) ++s;
  return static_cast<std::int64_t>(s) * stretch;
}

}  // namespace sparsecast::solve
