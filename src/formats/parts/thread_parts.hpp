#pragma once
// How the split of a host kernel (split.hpp) deals a matrix to threads, as far as a Structure tells. A
// product takes as long as its slowest part, and parts with the same number of non-zeros may differ in rows several
// times.

#include <sparsecast/structure.hpp>

namespace sparsecast::formats {
/// One part's share of the work, 1: the mean part's.
struct ThreadPart {
  double nonzeros = 1, rows = 1, calls = 1;
};

/// The part with the most non-zeros and the one with the most rows.
using ThreadParts = std::array<ThreadPart, 2>;

/// What parts of a split are equal in, and what it leaves whole.
struct Split {
  double of_row = 0, of_nonzero = 1;  ///< what a row and a non-zero weigh
  bool cuts_rows = false;             ///< a part may begin within a row
};
inline constexpr Split by_nonzeros{0, 1, false};   ///< rows_by_nonzeros()
inline constexpr Split by_rows{1, 0, false};       ///< part_begin() of the rows
inline constexpr Split by_entries{0, 1, true};     ///< part_begin() of the non-zeros
inline constexpr Split by_merge_path{1, 1, true};  ///< merge_path_partition()

/// Of rows in the order of the matrix; those within each of the 64 counted blocks are taken to be alike. All 1 for one
/// thread and where the Structure does not tell.
[[nodiscard]] ThreadParts parts_in_order(const Structure& structure, Split split, int threads);

/// Of slices of `slice_rows` rows, `slots` in all, dealt by slots. None is cut, and each is as long in all its rows as
/// in the longest.
[[nodiscard]] ThreadParts parts_of_slices(const Structure& structure, int slice_rows, std::int64_t slots, int threads);

/// Of rows sorted by length, longest first, dealt by non-zeros; parts take `block_rows` rows at a time and begin a loop
/// for every entry of the longest of them.
[[nodiscard]] ThreadParts parts_longest_first(const Structure& structure, std::int64_t block_rows, int threads);

/// Lines of y (eight rows) that several of those parts write in one product: rows sorted by length over the whole
/// matrix lie anywhere. Rows of one length keep their order, others are taken to lie in none.
[[nodiscard]] double lines_shared_longest_first(const Structure& structure, int threads);
}  // namespace sparsecast::formats
