#include <sparsecast/structure.hpp>

#include "base/threads.hpp"
#include "matrix/structure/forms.hpp"
#include "matrix/structure/structure_parts.hpp"

namespace sparsecast {

Structure analyze(const Matrix& matrix, int threads) { return matrix::analyze_for(matrix, {}, threads); }

Structure matrix::analyze_for(const Matrix& matrix, const AnalyzedParts& parts, int threads) {
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
    matrix::analyze_reuse(csr, touched, structure, parts.lines, threads);
  });
  if (parts.forms) matrix::analyze_forms(matrix, structure, threads);
  return structure;
}

}  // namespace sparsecast
