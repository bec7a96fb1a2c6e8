#include <sparsecast/structure.hpp>

#include "base/parallel_for.hpp"
#include "base/threads.hpp"
#include "matrix/structure/forms.hpp"
#include "matrix/structure/structure_parts.hpp"

namespace sparsecast {
namespace {

// Below, a team of threads that meets some ten times takes longer than threads that look at different things.
constexpr std::int64_t side_by_side_nonzeros = 1 << 21;

}  // namespace

Structure analyze(const Matrix& matrix, int threads) { return matrix::analyze_for(matrix, {}, threads); }

Structure matrix::analyze_for(const Matrix& matrix, const AnalyzedParts& parts, int threads) {
  threads = base::thread_count(threads);
  Structure structure;
  structure.name = matrix.name();
  structure.rows = matrix.rows();
  structure.cols = matrix.cols();
  structure.nonzeros = matrix.nonzeros();
  const int inside = structure.nonzeros < side_by_side_nonzeros ? 1 : threads;
  matrix.visit_pattern([&](const auto& csr) {
    matrix::analyze_rows(csr.row_pointers, structure, threads);
    // What follows needs the row lengths and nothing of each other; the longest usually come first.
    const auto part = [&](std::int64_t which) {
      if (which == 0) matrix::analyze_reuse(csr, structure, parts, inside);
      if (which == 1) matrix::analyze_columns(csr, structure, inside, parts.sparser);
      if (which == 2 && parts.forms)
        structure.symmetry =
            parts.presume_symmetry ? matrix::presumed_symmetry(matrix) : matrix::value_symmetry(matrix, inside);
      if (which == 3) matrix::analyze_foresight(csr.row_pointers, structure, parts.sparser);
      if (which == 4 && parts.forms) matrix::analyze_blocks(matrix, structure, inside);
      if (which == 5 && parts.forms) matrix::analyze_diagonals(matrix, structure, inside);
      if (which == 6) matrix::analyze_group_foresight(csr.row_pointers, structure);
      if (which == 6) matrix::analyze_runs(csr, structure);
    };
    base::parallel_for(7, {inside == 1 ? threads : 1}, part);
  });
  return structure;
}

}  // namespace sparsecast
