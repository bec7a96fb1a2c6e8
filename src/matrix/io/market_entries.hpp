#pragma once
// The entry lines of a Matrix Market file, any stretch of whole lines of it: what one thread of the reader does, and
// what a process that reads its share of a file by byte range does.

#include <optional>

#include "matrix/io/market_header.hpp"
#include "matrix/io/triplets.hpp"

namespace sparsecast::matrix {
/// What is wrong with one line. Lines count from 1 within the stretch that was scanned, columns within the line.
struct LineFault {
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string reason;
  std::string remedy;
};

/// Entries of a stretch of lines, in the order of the file. `triplets` are 0-based; values are absent for a pattern.
/// Of an array, only non-zeros are there, and triplets.rows holds how many values of the stretch came before each
/// (place_array_values turns that into rows and columns once it is known how many came before the stretch).
template <class Index>
struct ScannedEntries {
  Triplets<Index> triplets;
  std::int64_t entries = 0;        ///< lines that held an entry
  std::int64_t lines = 0;          ///< lines altogether
  Sides sides;                     ///< where the entries of a symmetric file stand
  bool beyond_exact = false;       ///< a whole number is so large that doubles do not hold each of its size
  bool rows_ascend = true;         ///< no entry has a smaller row than the one before
  std::optional<LineFault> fault;  ///< the first bad line; what was scanned before it is there
};

/// Room for as many entries as a stretch has lines; cols is not used by an array, values not by a pattern.
template <class Index>
struct EntryRoom {
  Index* rows;
  Index* cols;
  double* values;
};

/// Scans `text`, which must end with a line end and be readable 64 bytes beyond its end (number_text.hpp). Blank lines
/// and lines that begin with % are passed over. Stops at the first bad line, or before entry number `most` + 1, which
/// is then the fault. Index is int32_t where rows and columns fit it.
template <class Index>
ScannedEntries<Index> scan_entries(std::string_view text, const MarketHeader& header, std::int64_t most);

/// The same into room that the caller owns; the triplets of the result stay empty.
template <class Index>
ScannedEntries<Index> scan_entries(std::string_view text, const MarketHeader& header, std::int64_t most,
                                   EntryRoom<Index> room);

/// Gives the values of an array stretch their rows and columns; `before` values came before it in the file.
template <class Index>
void place_array_values(ScannedEntries<Index>& scanned, const MarketHeader& header, std::int64_t before);

/// Line ends in a text, at the speed of memory.
std::int64_t count_lines(std::string_view text);
}  // namespace sparsecast::matrix
