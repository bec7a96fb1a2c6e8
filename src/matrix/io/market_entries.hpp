#pragma once
// The entry lines of a Matrix Market file, any stretch of whole lines of it: what one thread of the reader does, and
// what a process that reads its share of a file by byte range does.

#include <optional>

#include "matrix/io/readers.hpp"

namespace sparsecast::matrix {
// The head of a Matrix Market file: banner, comments, size line (Boisvert, Pozo & Remington 1996, NISTIR 5935).

enum class MarketFormat { coordinate, array };
enum class MarketField { real, integer, pattern, complex };
enum class MarketSymmetry { general, symmetric, skew };

/// Faults of a banner that other readers take, so that such files are about.
enum class BannerFault : std::int8_t { none, one_percent, after_blanks };

struct MarketHeader {
  MarketFormat format = MarketFormat::coordinate;
  MarketField field = MarketField::real;
  MarketSymmetry symmetry = MarketSymmetry::general;  ///< hermitian: symmetric, and what follows is true
  bool conjugate = false;  ///< complex values: an entry across the diagonal has the other sign of imaginary part
  bool imaginary = false;  ///< which part of complex values a scan takes; a file is scanned for either
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;     ///< lines with an entry that must follow (one triangle of a symmetric matrix)
  std::size_t first_entry = 0;  ///< offset of the line after the size line
  std::int64_t lines = 0;       ///< lines up to and with the size line
  BannerFault banner = BannerFault::none;  ///< read although the format forbids it
};

/// What to say of it; empty for none.
std::string_view remark_on(BannerFault fault);

/// True where the text begins with "%%MatrixMarket" in any case; also with one percent sign or after blanks.
bool is_matrix_market(std::string_view text);

/// Parses the head at the beginning of `text`. nullopt where the size line is not all there and `whole` is false, that
/// is, more text is to come. Error bad_input with the line otherwise. The sizes are as the file says, unchecked against
/// anything but their own range: see check_plausible() in readers.hpp.
std::optional<MarketHeader> parse_market_header(std::string_view text, bool whole, const std::string& file);

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
