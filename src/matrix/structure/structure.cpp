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
    // What follows needs the row lengths and nothing of each other.
    const auto rows_in_order = [&] {
      matrix::analyze_foresight(csr.row_pointers, structure);
      matrix::analyze_groups(csr.row_pointers, structure, inside);
      matrix::analyze_runs(csr, structure);
    };
    const auto columns = [&] {
      const matrix::Touched touched = matrix::analyze_columns(csr, structure, inside);
      matrix::analyze_reuse(csr, touched, structure, parts.lines, inside);
    };
    const auto forms = [&] {
      if (parts.forms) matrix::analyze_forms(matrix, structure, inside);
    };
    base::parallel_for(3, {inside == 1 ? threads : 1}, [&](std::int64_t part) {
      if (part == 0) columns();
      if (part == 1) rows_in_order();
      if (part == 2) forms();
    });
  });
  return structure;
}

}  // namespace sparsecast
