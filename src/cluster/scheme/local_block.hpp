#pragma once
// The block of the matrix that one process multiplies, with local 32-bit indices, in the two formats of the paper.
// It is not a Matrix: it is mutable while it is built, has no name, and one core works on it.

#include "cluster/scheme/scheme.hpp"
#include "formats/simd/row_sums.hpp"

namespace sparsecast::cluster {
// A seeded random permutation of 0 … n − 1 that takes no memory: each rank of 2du can place any index without holding
// the n-entry array that a shuffle needs. It is a balanced Feistel network with four rounds (Luby & Rackoff 1988) on
// the smallest even number of bits that holds n, walked along its cycle until it falls below n (Black & Rogaway 2002);
// fewer than four steps are expected.

class IndexPermutation {
 public:
  IndexPermutation(std::int64_t size, std::uint64_t seed);
  [[nodiscard]] std::int64_t operator()(std::int64_t index) const;  ///< 0 ≤ index < size
  [[nodiscard]] std::int64_t inverse(std::int64_t position) const;

 private:
  std::uint64_t size_;
  int half_bits_;
  std::uint64_t half_mask_;
  std::array<std::uint64_t, 4> keys_{};

  [[nodiscard]] std::uint64_t forward(std::uint64_t value) const;
  [[nodiscard]] std::uint64_t backward(std::uint64_t value) const;
};

/// SplitMix64's finaliser: 64 well-mixed bits of 64 (Steele, Lea & Flood 2014).
constexpr std::uint64_t mix_bits(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

struct LocalEntry {
  std::int32_t row = 0, column = 0;
  double value = 0;
};

/// Blocks are put together in double precision; Value is what products read.
template <class Value>
struct CsrBlockOf {
  std::int64_t rows = 0, columns = 0;
  Array<std::int32_t> row_pointers;  ///< rows + 1
  Array<std::int32_t> column_indices;
  Array<Value> values;
  Array<std::int32_t> filled_rows;  ///< of a block that is added to y: its rows with entries (list_filled_rows)
  [[nodiscard]] std::int64_t nonzeros() const { return static_cast<std::int64_t>(values.size()); }
};

using CsrBlock = CsrBlockOf<double>;

template <class Value>
struct CooBlockOf {
  std::int64_t rows = 0, columns = 0;
  Array<std::int32_t> row_indices, column_indices;  ///< by row, then by column
  Array<Value> values;
};

/// Sorts the entries by row and column (equal ones stay apart: the product adds them). Error failed where a block
/// would need more than 2³¹ − 1 rows, columns or entries.
CsrBlock csr_block(std::int64_t rows, std::int64_t columns, std::span<const LocalEntry> entries);
/// For a block that is only ever added to y, as the remote block of l1dr is, most of whose rows are empty: the product
/// then visits the others alone.
void list_filled_rows(CsrBlock& block);

/// A block in the format that was asked for, multiplied by the loops of the kernels csr and coo, by so many threads,
/// each of which has its share of the entries in whole rows. A block with listed rows is only ever added. Value float:
/// its entries are rounded once.
template <class Value>
class LocalBlockOf {
 public:
  LocalBlockOf(CsrBlock csr, LocalFormat format, int threads = 1);
  /// y = A·x, or y += A·x where `add`. x has columns entries, y has rows.
  void apply(std::span<const Value> x, std::span<Value> y, bool add) const;
  [[nodiscard]] std::int64_t nonzeros() const;

 private:
  using Rows = CsrBlockOf<Value>;
  using Entries = CooBlockOf<Value>;
  std::variant<Rows, Entries> block_;
  formats::RowSums<Value, std::int32_t, std::int32_t> sums_ = formats::row_sums<Value, std::int32_t, std::int32_t>();
  formats::SegmentSums<Value, std::int32_t> entries_ = formats::segment_sums<Value, std::int32_t>();
  /// Where a thread's rows begin (of a block with listed rows: places in the list) and its entries; one more than
  /// threads.
  struct Cut {
    std::int64_t row = 0, entry = 0;
  };
  std::vector<Cut> cuts_;

  void apply_share(const Rows& block, std::size_t share, std::span<const Value> x, std::span<Value> y, bool add) const;
  void apply_share(const Entries& block, std::size_t share, std::span<const Value> x, std::span<Value> y,
                   bool add) const;
};
using LocalBlock = LocalBlockOf<double>;
extern template class LocalBlockOf<double>;
extern template class LocalBlockOf<float>;

// What an iteration of x ← A·x starts from and how it is kept inside the range of double, the same on one process and
// on many. All scaling is by powers of two, so it rounds nothing; the exponent taken out is part of the result.
//  · the values of A are scaled once by 2^−e with max|a_ij| · (longest row) ≤ 2^e, so no iterate grows;
//  · every `renormalize_every` iterations x is scaled by the power of two that brings its largest entry into [1, 2),
//    so that no iterate fades into the denormal numbers (which would also falsify the times).
// A distributed result is within ‖x − x₁‖∞ ≤ 1e-10 · ‖x₁‖∞ of the one of a single process: the sums of a row are
// taken in another order, which changes each iterate by a few units in the last place.

// A matrix that is not square has no iteration x ← A·x, but a product y = A·x. The schemes then distribute it as the
// square matrix that it becomes with empty rows or columns at its end: one iteration of that is the product.

/// Of so many asked for, one where the matrix is not square.
inline int iterations_of(std::int64_t rows, std::int64_t cols, int asked) { return rows == cols ? asked : 1; }

/// The matrix itself where it is square.
Matrix padded_square(const Matrix& matrix);

inline constexpr int renormalize_every = 32;

/// Entry `index` of the first x, in [0.5, 1.5).
constexpr double start_value(std::int64_t index) {
  return 0.5 + static_cast<double>(mix_bits(static_cast<std::uint64_t>(index)) >> 12) * 0x1p-52;
}

/// e of the scaling of A. max_value is max|a_ij|.
int matrix_exponent(double max_value, std::int64_t longest_row);
/// The exponent that brings max_entry into [1, 2); 0 for a zero vector.
int vector_exponent(double max_entry);

/// The vector after some iterations is values · 2^exponent.
struct IteratedVector {
  std::vector<double> values;
  std::int64_t exponent = 0;
};

/// The iteration on one process, plain loops: what all schemes are compared with. Polls for interruption.
IteratedVector iterate_sequentially(const Matrix& matrix, int iterations);

/// ‖x − reference‖∞ / ‖reference‖∞; the norm of x where the reference is zero.
double relative_distance(const IteratedVector& x, const IteratedVector& reference);

/// The 2-norm as mantissa · 2^exponent would overflow where the true one does; this is log2 of it (−inf for zero).
double log2_norm(const IteratedVector& x);
}  // namespace sparsecast::cluster
