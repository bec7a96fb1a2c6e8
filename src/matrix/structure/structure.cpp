// Puts the parts of a Structure together, and answers what is asked of its histograms.

#include <algorithm>
#include <cmath>

#include "base/parallel_for.hpp"
#include "base/threads.hpp"
#include "matrix/structure/blocks.hpp"
#include "matrix/structure/compact.hpp"
#include "matrix/structure/diagonals.hpp"
#include "matrix/structure/structure_parts.hpp"
#include "matrix/structure/symmetry.hpp"

namespace sparsecast {
namespace {
// Below, a team of threads that meets some ten times takes longer than threads that look at different things.
constexpr std::int64_t side_by_side_nonzeros = 1 << 21;
// Below, starting threads takes longer than the whole, and on a busy machine far longer.
constexpr std::int64_t alone_nonzeros = 1 << 15;

// Of reads in bins of stack distance, the share that misses a cache of so many lines: a read at distance d hits one of
// more than d. Within a bin, distances are taken to be spread evenly over its logarithm.
double share_beyond(const std::vector<double>& distance, double capacity_lines) {
  double share = 0;
  for (std::size_t b = 0; b < distance.size(); ++b) {
    const double first = b == 0 ? 0.0 : std::exp2(static_cast<double>(b)), last = std::exp2(static_cast<double>(b) + 1);
    if (capacity_lines <= first) {
      share += distance[b];
    } else if (capacity_lines < last && capacity_lines > 0) {
      const double low = b == 0 ? 0.0 : static_cast<double>(b);
      const double within = b == 0 ? capacity_lines / last : std::log2(capacity_lines) - low;
      share += distance[b] * (1 - std::clamp(within, 0.0, 1.0));
    }
  }
  return share;
}
}  // namespace

Structure analyze(const Matrix& matrix, int threads) { return matrix::analyze_for(matrix, {}, threads); }

Structure matrix::analyze_for(const Matrix& matrix, const AnalyzedParts& parts, int threads) {
  threads = matrix.nonzeros() < alone_nonzeros ? 1 : base::thread_count(threads);
  Structure structure;
  structure.name = matrix.name();
  structure.rows = matrix.rows();
  structure.cols = matrix.cols();
  structure.nonzeros = matrix.nonzeros();
  structure.complex_values = matrix.is_complex();
  const bool values = parts.forms && !matrix.is_complex();  // no form made for complex ones looks at them
  const int inside = structure.nonzeros < side_by_side_nonzeros ? 1 : threads;
  matrix.visit_pattern([&](const auto& csr) {
    matrix::analyze_rows(csr.row_pointers, structure, threads);
    // What follows needs the row lengths and nothing of each other; the longest usually come first.
    const auto part = [&](std::int64_t which) {
      if (which == 0) matrix::analyze_reuse(csr, structure, parts, inside);
      if (which == 1) matrix::analyze_columns(csr, structure, inside, parts.sparser);
      if (which == 2 && values)
        structure.symmetry = parts.presume ? matrix::presumed_symmetry(matrix) : matrix::value_symmetry(matrix, inside);
      if (which == 3) matrix::analyze_foresight(csr.row_pointers, structure, parts.sparser);
      if (which == 4 && parts.forms) matrix::analyze_blocks(matrix, structure, inside, parts.presume);
      if (which == 5 && parts.forms) matrix::analyze_diagonals(matrix, structure, inside, parts.presume);
      if (which == 6) matrix::analyze_group_foresight(csr.row_pointers, structure);
      if (which == 6) matrix::analyze_runs(csr, structure);
      if (which == 7 && values)
        structure.compact = matrix::compact_storage(matrix, structure.slice(8, 1024)->slots, inside, parts.presume);
    };
    base::parallel_for(8, {inside == 1 ? threads : 1}, part);
  });
  return structure;
}

// Questions that a Structure answers from its histograms.

std::int64_t Structure::row_quantile(double q) const {
  // The smallest length that at least a share q of the rows does not exceed.
  const double wanted = std::clamp(q, 0.0, 1.0) * static_cast<double>(rows);
  std::int64_t seen = 0;
  for (const RowLengthCount& entry : row_histogram) {
    seen += entry.rows;
    if (static_cast<double>(seen) >= wanted && seen > 0) return entry.length;
  }
  return row_max;
}

std::int64_t Structure::rows_at_least(std::int64_t length) const {
  std::int64_t count = 0;
  for (const RowLengthCount& entry : row_histogram)
    if (entry.length >= length) count += entry.rows;
  return count;
}

const SliceWork* Structure::slice(int slice_rows, int sort_rows) const {
  const auto found = std::ranges::find_if(
      slices, [&](const SliceWork& s) { return s.slice_rows == slice_rows && s.sort_rows == sort_rows; });
  return found == slices.end() ? nullptr : &*found;
}

double XReuse::miss_share(double capacity_lines) const {
  return std::min(cold + share_beyond(distance, capacity_lines), 1.0);
}

double XReuse::followed_share(double capacity_lines) const {
  return std::min(cold_followed + share_beyond(followed, capacity_lines), 1.0);
}

HybSplit hyb_split(const Structure& structure) {
  // K: the largest length that at least max(4096, rows/3) rows reach. Rows are counted from the longest down.
  HybSplit split;
  const double needed = std::max(4096.0, static_cast<double>(structure.rows) / 3);
  std::int64_t reached = 0;
  for (auto entry = structure.row_histogram.rbegin(); entry != structure.row_histogram.rend(); ++entry) {
    reached += entry->rows;
    if (static_cast<double>(reached) >= needed) {
      split.width = entry->length;
      break;
    }
  }
  for (const RowLengthCount& entry : structure.row_histogram)
    split.overflow += entry.rows * std::max<std::int64_t>(0, entry.length - split.width);
  return split;
}

const std::vector<SliceWork>& counted_slice_shapes() {
  static const std::vector<SliceWork> shapes{{8, 1}, {8, 1024}, {16, 1024}, {32, 1}, {32, 1024}, {64, 1}, {64, 1024}};
  return shapes;
}
}  // namespace sparsecast
