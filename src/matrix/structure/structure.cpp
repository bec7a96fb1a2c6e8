#include <sparsecast/structure.hpp>

#include "base/threads.hpp"
#include "matrix/structure/forms.hpp"
#include "matrix/structure/structure_parts.hpp"

namespace sparsecast {

Structure analyze(const Matrix& matrix, int threads) {
  return matrix::analyze_for_lines(matrix, matrix::line_elements, threads);
}

Structure matrix::analyze_for_lines(const Matrix& matrix, std::span<const int> lines, int threads) {
  threads = base::thread_count(threads);
  Structure structure;
  structure.name = matrix.name();
  structure.rows = matrix.rows();
  structure.cols = matrix.cols();
  structure.nonzeros = matrix.nonzeros();
  matrix.visit_pattern([&](const auto& csr) {
    matrix::analyze_rows(csr.row_pointers, structure, threads);
    matrix::analyze_foresight(csr.row_pointers, structure);
    matrix::analyze_groups(csr.row_pointers, structure, threads);
    const matrix::Touched touched = matrix::analyze_columns(csr, structure, threads);
    matrix::analyze_reuse(csr, touched, structure, lines, threads);
  });
  matrix::analyze_forms(matrix, structure, threads);
  return structure;
}

}  // namespace sparsecast
