#pragma once
// The parts that analyze() puts together: row lengths, locality of the columns, reuse of x.

#include <sparsecast/structure.hpp>

namespace sparsecast::matrix {
/// Lengths of a cache line, in elements of x, that analyze() knows the reuse for: 32 bytes of doubles to 128 of floats.
inline constexpr int line_elements[] = {4, 8, 16, 32};

/// What may be left out of analyze(): two thirds of its time go into x_reuse for four lengths of lines, and up to half
/// of the rest into forms that a kernel is made for (diagonals.hpp, blocks.hpp, symmetry.hpp, compact.hpp).
struct AnalyzedParts {
  std::span<const int> lines = line_elements;
  bool forms = true;
  int sparser = 0;  ///< powers of two that samples are smaller by; of the columns too only a part is looked at then
  /// What a sample does not refute is taken for true: values that are symmetric, repeat or need fewer bytes; blocks are
  /// counted in one row of seven.
  bool presume = false;
};

/// Fills the fields on row lengths, slices, blocks and the sums of row_groups: needs the row pointers alone.
template <class Offset>
void analyze_rows(std::span<const Offset> row_pointers, Structure& structure, int threads);

/// Fills what the histogram of the row lengths says: mean, deviation, least, most, mode, skew, Gini, empty rows.
void row_moments(Structure& structure);

/// Fills mispredicted_rows and mispredicted_filled_rows: needs the row pointers alone.
template <class Offset>
void analyze_foresight(std::span<const Offset> row_pointers, Structure& structure, int sparser);

/// Fills row_groups.mispredicted, after analyze_rows().
template <class Offset>
void analyze_group_foresight(std::span<const Offset> row_pointers, Structure& structure);

/// Fills row_groups.in_runs, after analyze_rows().
template <class Offset, class Index>
void analyze_runs(const CsrPattern<Offset, Index>& csr, Structure& structure);

/// Share of the symbols (row lengths in their order, in one or more stretches) that a branch predictor does not predict
/// in a first product; the first quarter of every stretch is run-up.
double misprediction_share(const std::vector<std::vector<std::int32_t>>& stretches);

/// Fills the fields on locality except x_reuse: one pass over the column indices.
template <class Offset, class Index>
void analyze_columns(const CsrPattern<Offset, Index>& csr, Structure& structure, int threads, int sparser);

/// Fills x_reuse, for the lines of `parts`, and sampled_share.
template <class Offset, class Index>
void analyze_reuse(const CsrPattern<Offset, Index>& csr, Structure& structure, const AnalyzedParts& parts, int threads);

/// analyze() of these parts.
Structure analyze_for(const Matrix& matrix, const AnalyzedParts& parts, int threads);
}  // namespace sparsecast::matrix
