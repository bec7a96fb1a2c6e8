#include "matrix/io/market_entries.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "matrix/io/numbers/number_field.hpp"
#include "matrix/io/numbers/number_scan.hpp"

namespace sparsecast::matrix {
namespace {
/// One entry line, taken apart. Indices 0-based.
struct Entry {
  std::int64_t row = 0, col = 0;
  double value = 1, imaginary = 0;
};

/// Fills one field of a fault.
std::optional<LineFault> fault(std::int64_t column, std::string reason, std::string remedy) {
  return LineFault{0, column, std::move(reason), std::move(remedy)};
}

std::optional<LineFault> index_field(FieldReader& reader, const char* what, std::int64_t size, std::int64_t& index) {
  std::int64_t column = 0;
  const std::string_view field = reader.next(column);
  if (field.empty())
    return fault(column, fmt::format("the {} index is missing", what), "check whether the file is cut off");
  const auto number = integer_field(field);
  if (!number.reason.empty())
    return fault(column, fmt::format("{} index: {}", what, number.reason), "indices are 1, 2, 3 …");
  if (number.value < 1 || number.value > size) {
    return fault(column, fmt::format("{} index {} is outside 1 … {}", what, number.value, size),
                 number.value == 0 ? "indices count from 1" : "fix the entry or the sizes in the header");
  }
  index = number.value - 1;
  return std::nullopt;
}

std::optional<LineFault> value_field(FieldReader& reader, MarketField kind, double& value) {
  std::int64_t column = 0;
  const std::string_view field = reader.next(column);
  if (field.empty() && kind == MarketField::complex)
    return fault(column, "a part of the value is missing",
                 "a complex value is two numbers; otherwise say real in the banner");
  if (field.empty()) return fault(column, "the value is missing", "check whether the file is cut off, or is a pattern");
  const auto number = real_field(field);
  if (!number.reason.empty()) return fault(column, "value: " + number.reason, "values must be finite numbers");
  if (kind == MarketField::integer && field.find_first_not_of("+-0123456789") != std::string_view::npos)
    return fault(column, "value: " + shown(field) + " is not an integer", "say real in the banner");
  value = number.value;
  return std::nullopt;
}

/// The careful way: any valid line, or why it is none. Only here are messages made.
std::optional<LineFault> read_line(std::string_view line, const MarketHeader& header, Entry& entry) {
  FieldReader reader{line};
  if (header.format == MarketFormat::coordinate) {
    if (auto bad = index_field(reader, "row", header.rows, entry.row)) return bad;
    if (auto bad = index_field(reader, "column", header.cols, entry.col)) return bad;
  }
  if (header.field != MarketField::pattern)
    if (auto bad = value_field(reader, header.field, entry.value)) return bad;
  if (header.field == MarketField::complex)
    if (auto bad = value_field(reader, header.field, entry.imaginary)) return bad;
  std::int64_t column = 0;
  if (const std::string_view more = reader.next(column); !more.empty()) {
    return fault(column, "one field too many, " + shown(more),
                 header.field == MarketField::pattern ? "the banner says pattern: entries have no value"
                                                      : "write one entry per line");
  }
  if (header.symmetry == MarketSymmetry::skew && header.format == MarketFormat::coordinate && entry.row == entry.col &&
      (entry.value != 0 || entry.imaginary != 0))
    return fault(1, "a skew-symmetric matrix has no diagonal", "omit the entry or say general in the banner");
  if (header.conjugate && header.format == MarketFormat::coordinate && entry.row == entry.col && entry.imaginary != 0)
    return fault(1, "the diagonal of a Hermitian matrix is real", "fix the entry or say general in the banner");
  return std::nullopt;
}

LineFault surplus_fault(const MarketHeader& header) {
  if (header.format == MarketFormat::array && header.symmetry != MarketSymmetry::general) {
    return {0, 1, "more than the " + promised_entries(header),
            header.symmetry == MarketSymmetry::skew
                ? "omit the diagonal and the entries above it, or say general in the banner and write all entries"
                : "omit the entries above the diagonal, or say general in the banner"};
  }
  return {0, 1, fmt::format("more entries than the {} that the header announces", header.entries),
          "fix the size line or remove the surplus"};
}

bool holds_nothing(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\v\f\r");
  return first == std::string_view::npos || line[first] == '%';
}

inline const char* skip_blanks(const char* text) {
  while (*text == ' ' || *text == '\t') ++text;
  return text;
}

/// A blank and further ones, or nullptr where there is none.
inline const char* need_blanks(const char* text) {
  if (*text != ' ' && *text != '\t') return nullptr;
  return skip_blanks(text + 1);
}

/// The line end after an entry, or nullptr where something else stands there.
inline const char* need_line_end(const char* text) {
  if (*text == '\n') return text + 1;
  text = skip_blanks(text);
  if (*text == '\r') ++text;
  return *text == '\n' ? text + 1 : nullptr;
}

inline const char* scan_integer_value(const char* text, double& value) {
  const bool negative = *text == '-';
  std::uint64_t magnitude = 0;
  text = scan_unsigned(text + negative, magnitude);
  value = negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
  return text;
}

/// The fast way for one line: what nearly every line of every file looks like. nullptr where it looks otherwise.
template <MarketFormat format, MarketField field>
inline const char* scan_line(const char* text, const char* end, std::uint64_t rows, std::uint64_t cols,
                             std::uint64_t& row, std::uint64_t& col, double& value, double& imaginary) {
  text = skip_blanks(text);
  if constexpr (format == MarketFormat::coordinate) {
    if ((text = scan_unsigned(text, row)) == nullptr || (text = need_blanks(text)) == nullptr ||
        (text = scan_unsigned(text, col)) == nullptr)
      return nullptr;
    --row, --col;  // 0 becomes the largest number and is out of range too
    if (row >= rows || col >= cols) return nullptr;
    if constexpr (field != MarketField::pattern)
      if ((text = need_blanks(text)) == nullptr) return nullptr;
  }
  if constexpr (field == MarketField::real) text = scan_real(text, end, value);
  if constexpr (field == MarketField::integer) text = scan_integer_value(text, value);
  if constexpr (field == MarketField::complex)
    if ((text = scan_real(text, end, value)) == nullptr || (text = need_blanks(text)) == nullptr ||
        (text = scan_real(text, end, imaginary)) == nullptr)
      return nullptr;
  return text == nullptr ? nullptr : need_line_end(text);
}

/// Returns how many entries it stored: of an array fewer than there were.
template <class Index, MarketFormat format, MarketField field>
std::int64_t scan(std::string_view text, const MarketHeader& header, std::int64_t most, EntryRoom<Index> room,
                  ScannedEntries<Index>& out) {
  constexpr bool coordinate = format == MarketFormat::coordinate;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto rows = static_cast<std::uint64_t>(header.rows), cols = static_cast<std::uint64_t>(header.cols);
  const bool looks_at_diagonal = coordinate && (header.symmetry == MarketSymmetry::skew || header.conjugate);
  const bool mirrored = coordinate && header.symmetry != MarketSymmetry::general;
  Sides sides;
  std::uint64_t row_before = 0;
  bool rows_ascend = true;
  std::int64_t stored = 0;
  while (at < end) {
    std::uint64_t row = 0, col = 0;
    double value = 1, imaginary = 0;
    const char* next = scan_line<format, field>(at, end, rows, cols, row, col, value, imaginary);
    if (next == nullptr || (looks_at_diagonal && row == col)) [[unlikely]] {
      const auto* const line_end = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      const std::string_view line(at, static_cast<std::size_t>(line_end - at));
      next = line_end + 1;
      if (holds_nothing(line)) {
        ++out.lines;
        at = next;
        continue;
      }
      Entry entry;
      out.fault = read_line(line, header, entry);
      row = static_cast<std::uint64_t>(entry.row), col = static_cast<std::uint64_t>(entry.col);
      value = entry.value, imaginary = entry.imaginary;
    }
    const bool zero = value == 0 && imaginary == 0;
    if (field == MarketField::complex && header.imaginary) value = imaginary;
    if constexpr (field == MarketField::integer) out.beyond_exact |= std::abs(value) >= first_inexact;
    if (!out.fault && out.entries == most) out.fault = surplus_fault(header);
    ++out.lines;
    if (out.fault) {
      out.fault->line = out.lines;
      break;
    }
    if constexpr (coordinate) {
      if (mirrored) sides.add(static_cast<std::int64_t>(row), static_cast<std::int64_t>(col));
      room.rows[stored] = static_cast<Index>(row);
      room.cols[stored] = static_cast<Index>(col);
      if constexpr (field != MarketField::pattern) room.values[stored] = value;
      ++stored;
      rows_ascend &= row >= row_before;
      row_before = row;
    } else {
      // A stretch has far fewer lines than an Index counts; the zeros of a dense file are not entries.
      room.rows[stored] = static_cast<Index>(out.entries);
      room.values[stored] = value;
      stored += !zero;
    }
    ++out.entries;
    at = next;
  }
  out.rows_ascend = rows_ascend;
  out.sides = sides;
  return stored;
}

template <class Index>
std::int64_t scan_any(std::string_view text, const MarketHeader& header, std::int64_t most, EntryRoom<Index> room,
                      ScannedEntries<Index>& out) {
  using enum MarketFormat;
  using enum MarketField;
  if (header.format == array) {
    if (header.field == integer) return scan<Index, array, integer>(text, header, most, room, out);
    if (header.field == complex) return scan<Index, array, complex>(text, header, most, room, out);
    return scan<Index, array, real>(text, header, most, room, out);
  }
  if (header.field == pattern) return scan<Index, coordinate, pattern>(text, header, most, room, out);
  if (header.field == complex) return scan<Index, coordinate, complex>(text, header, most, room, out);
  if (header.field == integer) return scan<Index, coordinate, integer>(text, header, most, room, out);
  return scan<Index, coordinate, real>(text, header, most, room, out);
}
}  // namespace

std::int64_t count_lines(std::string_view text) {
  // Sums of 240 comparisons fit a byte, so the compiler compares and adds whole vectors of bytes.
  constexpr std::size_t run = 240;
  std::int64_t lines = 0;
  for (; text.size() >= run; text.remove_prefix(run)) {
    std::uint8_t sum = 0;
    for (std::size_t k = 0; k < run; ++k) sum = static_cast<std::uint8_t>(sum + (text[k] == '\n'));
    lines += sum;
  }
  return lines + std::count(text.begin(), text.end(), '\n');
}

template <class Index>
ScannedEntries<Index> scan_entries(std::string_view text, const MarketHeader& header, std::int64_t most) {
  ScannedEntries<Index> out;
  auto& triplets = out.triplets;
  // Every line has at most one entry, so this many places are enough.
  const std::int64_t places = std::min(count_lines(text), most);
  const auto resize = [&](std::int64_t size) {
    triplets.rows.resize(size);
    if (header.format == MarketFormat::coordinate) triplets.cols.resize(size);
    if (header.field != MarketField::pattern) triplets.values.resize(size);
  };
  resize(places);
  resize(
      scan_any<Index>(text, header, most, {triplets.rows.data(), triplets.cols.data(), triplets.values.data()}, out));
  return out;
}

template <class Index>
ScannedEntries<Index> scan_entries(std::string_view text, const MarketHeader& header, std::int64_t most,
                                   EntryRoom<Index> room) {
  ScannedEntries<Index> out;
  scan_any(text, header, most, room, out);
  return out;
}

template <class Index>
void place_array_values(ScannedEntries<Index>& scanned, const MarketHeader& header, std::int64_t before) {
  // Values stand column by column; of a symmetric array only the part from the diagonal down, of a skew-symmetric one
  // only what is below it. Columns only ever move on, so each is found from the one before.
  auto& [rows, cols, values] = scanned.triplets;
  cols.resize(rows.size());
  const std::int64_t n = header.rows;
  const auto first_row = [&](std::int64_t col) -> std::int64_t {
    if (header.symmetry == MarketSymmetry::general) return 0;
    return header.symmetry == MarketSymmetry::symmetric ? col : col + 1;
  };
  const auto values_before = [&](std::int64_t col) {  // in the columns left of col
    if (header.symmetry == MarketSymmetry::general) return col * n;
    // Half of n² fits 63 bits, so n² itself fits 64.
    const auto c = static_cast<std::uint64_t>(col);
    const std::uint64_t left = c * static_cast<std::uint64_t>(n) - (c == 0 ? 0 : c * (c - 1) / 2);
    return static_cast<std::int64_t>(header.symmetry == MarketSymmetry::symmetric ? left : left - c);
  };
  std::int64_t beyond = 0;  // the first column that begins after the first value
  for (std::int64_t high = header.cols; beyond < high;) {
    const std::int64_t middle = beyond + (high - beyond) / 2;
    if (values_before(middle) <= before)
      beyond = middle + 1;
    else
      high = middle;
  }
  std::int64_t col = std::max<std::int64_t>(beyond - 1, 0);
  std::int64_t begin = values_before(col), end = values_before(col + 1);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::int64_t position = before + rows[k];
    while (position >= end) begin = end, end = values_before(++col + 1);
    rows[k] = static_cast<Index>(first_row(col) + position - begin);
    cols[k] = static_cast<Index>(col);
  }
}

template ScannedEntries<std::int32_t> scan_entries(std::string_view, const MarketHeader&, std::int64_t);
template ScannedEntries<std::int64_t> scan_entries(std::string_view, const MarketHeader&, std::int64_t);
template ScannedEntries<std::int32_t> scan_entries(std::string_view, const MarketHeader&, std::int64_t,
                                                   EntryRoom<std::int32_t>);
template ScannedEntries<std::int64_t> scan_entries(std::string_view, const MarketHeader&, std::int64_t,
                                                   EntryRoom<std::int64_t>);
template void place_array_values(ScannedEntries<std::int32_t>&, const MarketHeader&, std::int64_t);
template void place_array_values(ScannedEntries<std::int64_t>&, const MarketHeader&, std::int64_t);
}  // namespace sparsecast::matrix
