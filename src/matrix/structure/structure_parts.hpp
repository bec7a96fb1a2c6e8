#pragma once
// The parts that analyze() puts together: row lengths, locality of the columns, reuse of x.

#include <algorithm>
#include <filesystem>
#include <limits>
#include <sparsecast/structure.hpp>


namespace sparsecast::matrix {
/// Lengths of a cache line, in elements of x, that analyze() knows the reuse for: 32 bytes of doubles to 128 of floats.
inline constexpr int line_elements[] = {4, 8, 16, 32};

/// What may be left out of analyze(): two thirds of its time go into x_reuse for four lengths of lines, and up to half
/// of the rest into forms that a kernel is made for (forms.hpp).
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

// How alike two rows are: the similarity of consecutive rows in a Structure and in the strips of a plan.

/// Entries of `row` with an entry of `next` at most one column away. No branch depends on the columns: they are
/// unpredictable. Both rows ascend, so the smaller of the two current entries is passed over.
template <class Index>
std::int64_t near_entries(const Index* row, const Index* row_end, const Index* next, const Index* next_end) {
  std::int64_t near = 0;
  while (row != row_end && next != next_end) {
    const Index distance = *next - *row;
    const bool behind = distance < -1;
    near += (distance >= -1) & (distance <= 1);
    next += behind;
    row += !behind;
  }
  return near;
}

// How rows fall into blocks: from the first column that no block before holds, as many columns as a block is wide. Rows
// walk side by side, so that no column is divided or looked up.

inline constexpr int least_block = 2, most_block = 8;  ///< rows and columns of a block

/// The blocks of `height` ≤ most_block rows from `row` on, of which the matrix may have fewer, in the order of their
/// columns: block(start) for each, then entry(i, k, start) for its entries k of row row + i, row by row.
/// `fixed`: the height where it is known to the compiler, and the matrix has as many rows; 0 where not.
template <int fixed = 0, class Offset, class Index, class Block, class Entry>
void walk_blocks(const CsrPattern<Offset, Index>& csr, std::int64_t row, int height, int width, const Block& block,
                 const Entry& entry) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  constexpr int most = fixed > 0 ? fixed : most_block;
  std::array<Offset, most> at, end;
  std::array<std::int64_t, most> column;
  const int rows = fixed > 0 ? fixed : static_cast<int>(std::min<std::int64_t>(height, csr.rows - row));
  std::int64_t start = none;
  for (int i = 0; i < rows; ++i) {
    at[i] = csr.row_pointers[row + i];
    end[i] = csr.row_pointers[row + i + 1];
    column[i] = at[i] < end[i] ? static_cast<std::int64_t>(csr.column_indices[at[i]]) : none;
    start = std::min(start, column[i]);
  }
  while (start != none) {
    block(start);
    std::int64_t next = none;
    for (int i = 0; i < rows; ++i) {
      while (column[i] - start < width) {
        entry(i, at[i], start);
        ++at[i];
        column[i] = at[i] < end[i] ? static_cast<std::int64_t>(csr.column_indices[at[i]]) : none;
      }
      next = std::min(next, column[i]);
    }
    start = next;
  }
}

// LRU stack distances in powers of two (Mattson et al. 1970), at a few nanoseconds per read. The stack is a linked list
// in which the last line of every power of two is marked (Kim, Hill & Wood 1991): moving a line to the top moves each
// mark above it by one place, so a read costs the number of marks it passes and no search tree is needed.

class MarkedStack {
 public:
  static constexpr int bins = 40;
  static constexpr int unseen = -1;

  /// Room for so many distinct lines, all of them below `range`.
  MarkedStack(std::size_t lines, std::uint64_t range);
  void clear();
  /// Reads a line. Returns the bin of its stack distance d (distinct other lines read since): 0 for d < 2, b for
  /// 2^b ≤ d < 2^(b+1); `unseen` where it was not read before.
  int read(std::uint32_t line);
  [[nodiscard]] std::size_t lines() const { return nodes_.size(); }

 private:
  struct Node {
    std::int32_t above, below;
    int bin;
  };
  struct Slot {
    std::uint32_t line;
    std::int32_t node;  // −1: free
  };
  Slot& find(std::uint32_t line);
  void shift_marks(int last);

  std::vector<Node> nodes_;
  std::vector<Slot> slots_;
  // Where a line is looked for first: its own slot where there are slots for all, else by a multiplicative hash.
  std::uint32_t factor_ = 1;
  int shift_ = 0;
  std::int32_t top_ = -1, bottom_ = -1;
  // marks_[b], b ≥ 1: the line at place 2^b − 1 (from 0), the last one of bin b − 1.
  std::array<std::int32_t, bins + 1> marks_{};
  int marked_ = 0;  // highest b in use
};

// Structure as a JSON object under the names of its fields, and back. structure.hpp publishes it as text.

nlohmann::ordered_json structure_to_json(const Structure& structure);
/// Sizes are required; what else is missing keeps its default, so that a feature record is a Structure too. Error
/// bad_input with the field's name where a field has the wrong type, lies out of range or contradicts another.
Structure structure_from_json(const nlohmann::ordered_json& json);
/// A file with what `sparsecast info --json` printed, or to_json() wrote: the structure of a matrix that need not be
/// here. Error bad_input.
Structure read_structure(const std::filesystem::path& file);
}  // namespace sparsecast::matrix
