#pragma once
// Structure: everything a model may know of a matrix. Models see a Structure and never a Matrix, so that a forecast
// also works from the record of a matrix that nobody can share. All of it is found in one parallel pass (sampled
// where the matrix is large); to_json() and structure_from_json() carry it between machines.
//
// Thread safety: the structs are values; threads may share one that none of them changes. The functions are safe from
// several threads at once.

#include <cstdint>
#include <sparsecast/matrix.hpp>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// The number of rows that have a given number of non-zeros.
struct RowLengthCount {
  std::int64_t length = 0;  ///< number of non-zeros of a row
  std::int64_t rows = 0;    ///< number of rows of that length
};

/// What SELL-C-σ stores: slices of `slice_rows` rows, rows sorted by length within windows of `sort_rows` (1:
/// unsorted). The unsorted ones are also the work of a warp of that many rows in a one-thread-per-row kernel.
struct SliceWork {
  int slice_rows = 0;      ///< C, the rows of a slice
  int sort_rows = 1;       ///< σ, the rows of a sorting window; 1: unsorted
  std::int64_t slots = 0;  ///< sum over slices of slice_rows × longest row of the slice (the last slice counts full)
};

/// Rows in groups of eight in succession, as a vector kernel takes them (a last group of fewer rows is left out).
struct RowGroups {
  std::int64_t groups = 0;        ///< number of groups; 0 also if they were not counted
  std::int64_t shortest = 0;      ///< sum over groups of the shortest row: vectors of a column that every row fills
  std::int64_t longest = 0;       ///< the same of the longest row: vectors of a column that any row fills
  std::int64_t turns = 0;         ///< sum of |shortest − shortest of the preceding group|
  std::int64_t cut_shortest = 0;  ///< the same three of rows cut at the width of hyb_split()
  std::int64_t cut_longest = 0;
  std::int64_t cut_turns = 0;
  std::int64_t short_groups = 0;   ///< groups of at most short_nonzeros
  std::int64_t more_vectors = 0;   ///< for those groups: sum of ⌈longest / 8⌉ − 1, where positive
  std::int64_t more_rows = 0;      ///< for those groups: sum over the rows of ⌈length / 8⌉ − 1, where positive
  std::int64_t rest_nonzeros = 0;  ///< for the other groups: sum over the rows of length mod 8
  double mispredicted = 0;         ///< share of the shortest lengths that a branch predictor mispredicts
  /// Share of the non-zeros in groups in which each row reads x one entry after the row before than the row
  /// before, as those of grids do (sampled); 0 where it was not counted.
  double in_runs = 0;

  static constexpr int rows = 8;
  static constexpr std::int64_t short_nonzeros = 128;
};

/// Diagonals, column − row, that at least half of the rows have an entry on. Which ones are dense is found in a sample
/// of the rows (all of them up to 2,048); what they hold is counted. None where that is less than half of the entries
/// of the sample, or there are more than 256 of them: then nobody stores by diagonals.
struct DenseDiagonals {
  std::int64_t diagonals = -1;  ///< number of such diagonals; −1: not counted, as in a feature record
  std::int64_t nonzeros = 0;    ///< number of entries on them
  std::int64_t rest_rows = 0;   ///< number of rows with entries elsewhere
};

/// Blocks of so many rows and columns that hold the entries: rows from multiples of `rows` on, columns from the first
/// entry on that no block before holds. The shape is found in a sample of the rows; its blocks are counted.
struct DenseBlocks {
  int rows = -1, cols = -1;  ///< 2 to 8 each; 0: no shape is filled well, −1: not counted
  std::int64_t blocks = 0;   ///< number of blocks
  double fill = 0;           ///< share of the blocks' slots that hold an entry; 0: there are no blocks
};

/// Whether A equals its transpose, values included. A sample of the entries is compared first, which can only refute
/// it. If it does not, every entry is compared.
struct ValueSymmetry {
  int symmetric = -1;         ///< 1: yes, 0: no, −1: not examined
  std::int64_t diagonal = 0;  ///< number of entries on the diagonal, if the matrix is symmetric
};

/// What lossless storage can exploit (formats/sell_compact.hpp): values that repeat or fit a smaller type, and columns
/// that are close to each other.
struct CompactStorage {
  static constexpr int most_distinct = 256;  ///< largest number of different values that are counted
  static constexpr int few = 16;             ///< number of different values that fit into one or two registers
  static constexpr int window_rows = 1024;
  static constexpr std::int64_t most_span =
      65534;  ///< columns are close if the last is at most this far from the first

  int distinct_values = -1;  ///< number of different bit patterns; 0: more than most_distinct, −1: not counted
  int single_exact = -1;     ///< of more values than those: 1 where float holds every one bit for bit, else 0
  ValueStorage two_bytes = ValueStorage::given;  ///< of more than 16: half or bfloat16 where that holds every one so
  std::int64_t far_slots = 0;  ///< slots of SELL-8-1024 in windows of 1,024 rows whose columns are not near each other
};

/// Reuse of x in the order in which a sequential CSR product reads it, by LRU stack distance (Mattson et al. 1970).
struct XReuse {
  int elements_per_line = 8;  ///< 8: a 64-byte line of double; 16: of float; 4 and 32: GPU sectors and lines
  std::int64_t lines = 0;     ///< number of distinct lines of x that are touched
  double cold = 0;            ///< share of the reads that touch a line for the first time
  /// Share of reads at stack distance in [2^b, 2^(b+1)) lines, b = 0, 1, …; same line as the read before counts
  /// in b = 0.
  std::vector<double> distance;
  /// The part of `cold`, and of `distance` bin by bin, that is read soon after the preceding line, which prefetchers
  /// foresee. Counted from 256 lines on; 0 and empty if it was not counted.
  double cold_followed = 0;
  std::vector<double> followed;

  /// Share of reads that miss a fully associative LRU cache of the given number of lines (cold misses included).
  [[nodiscard]] double miss_share(double capacity_lines) const;
  /// Share of reads that miss that cache and follow the preceding line.
  [[nodiscard]] double followed_share(double capacity_lines) const;
};

/// The features of one matrix. Sizes are always known. Every other feature that was not counted keeps its default.
struct Structure {
  std::string name;
  std::int64_t rows = 0, cols = 0, nonzeros = 0;

  // Row lengths (non-zeros per row).
  double row_mean = 0, row_std = 0;
  std::int64_t row_min = 0, row_max = 0;
  std::int64_t row_mode = 0;  ///< the commonest length, the shorter where two are equally common (papers' P for CSR)
  std::int64_t empty_rows = 0;
  double row_skew = 0;  ///< (row_max − row_mean) / row_mean; 0 for an empty matrix
  double row_gini = 0;  ///< Gini coefficient of the row lengths: 0 all equal, towards 1 all non-zeros in one row
  std::vector<RowLengthCount> row_histogram;  ///< exact, ascending in length; empty for a feature record
  /// In a feature record: the lengths that ¼, ½ and ¾ of the rows do not exceed; empty: not recorded.
  std::vector<double> row_quartiles;

  /// Share of the row lengths that a branch predictor does not predict from the lengths before, in a first product
  /// (TAGE; 8 stretches of 1,024 rows where there are more); −1 where not known, as in a feature record. The second: of
  /// the rows that are not empty, as formats without row pointers see them.
  double mispredicted_rows = -1, mispredicted_filled_rows = -1;

  // Work of the padded and blocked formats, exact.
  std::vector<SliceWork> slices;
  RowGroups row_groups;
  std::vector<std::int64_t> block_nonzeros;  ///< non-zeros of 64 equal blocks of rows: imbalance of a static row split

  bool complex_values = false;

  // Properties that special formats exploit.
  DenseDiagonals dense_diagonals;
  DenseBlocks dense_blocks;
  ValueSymmetry symmetry;
  CompactStorage compact;

  // Locality.
  double bandwidth_scaled = 0;  ///< mean distance from the first to the last column of a row, divided by cols
  double neighbours = 0;        ///< mean number of non-zeros directly to the left and right of a non-zero
  /// Share of a row's non-zeros that have one in the next row, at most one column away.
  double cross_row_similarity = 0;
  double runs_per_row = 0;              ///< mean number of runs of adjacent columns in a row
  std::int64_t diagonal_bandwidth = 0;  ///< largest |row − column|
  std::vector<XReuse> x_reuse;          ///< one per line length, ascending; empty for a feature record
  double sampled_share = 1;             ///< share of the non-zeros on which x_reuse was measured

  /// The q-quantile of the row lengths, 0 ≤ q ≤ 1, from the histogram.
  [[nodiscard]] std::int64_t row_quantile(double q) const;
  /// Number of rows with at least the given number of non-zeros, from the histogram.
  [[nodiscard]] std::int64_t rows_at_least(std::int64_t length) const;
  /// Slots of SELL-C-σ; nullptr if that shape was not counted.
  [[nodiscard]] const SliceWork* slice(int slice_rows, int sort_rows) const;
};

/// HYB's split (Bell & Garland 2009): K is the largest width that at least max(4096, rows/3) rows fill; may be 0.
struct HybSplit {
  std::int64_t width = 0;     ///< K
  std::int64_t overflow = 0;  ///< non-zeros beyond column K of their row, stored as COO
};
/// From the histogram of the row lengths.
[[nodiscard]] HybSplit hyb_split(const Structure& structure);

/// The shapes that analyze() counts in Structure::slices.
[[nodiscard]] const std::vector<SliceWork>& counted_slice_shapes();

/// One parallel pass over the matrix, the same result with any number of threads. `threads` 0: default_threads().
/// Sampled: x_reuse from 32,768 non-zeros on, cross_row_similarity from 65,536 on, and which diagonals are dense and
/// which shape blocks have. Everything else is exact.
[[nodiscard]] Structure analyze(const Matrix& matrix, int threads = 0);

/// A JSON object with the fields of the structure, on one line, as the field "structure" of
/// docs/schemas/info.schema.json.
[[nodiscard]] std::string to_json(const Structure& structure);

/// Reads what to_json() wrote, or the document that `sparsecast info MATRIX --json` printed. Only rows, cols and
/// nonzeros are required; what else is missing keeps its default. `source` names the text in errors: a file, a table.
/// Error bad_input where the text is no JSON, a field is missing or has the wrong type, lies out of range or
/// contradicts another.
[[nodiscard]] Structure structure_from_json(std::string_view text, const std::string& source = "structure");

}  // namespace sparsecast
#pragma GCC visibility pop
