#include "matrix/io/market_entries.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/text.hpp"

namespace sparsecast::matrix {
namespace {
constexpr std::string_view banner = "%%matrixmarket";
constexpr std::string_view blanks = " \t\v\f\r";

/// Throws with the place filled in.
struct Fault {
  const std::string& file;
  std::int64_t line;
  [[noreturn]] void operator()(std::int64_t column, const std::string& reason, const std::string& remedy) const {
    throw Error(ErrorCode::bad_input, reason, {file, line, column}, remedy);
  }
};

void parse_banner(std::string_view line, const Fault& fault, MarketHeader& header) {
  constexpr auto form = "the first line should read: %%MatrixMarket matrix coordinate real general";
  FieldReader reader{line};
  std::vector<std::string> words;
  std::vector<std::int64_t> columns;
  for (std::int64_t column = 0;;) {
    const std::string_view word = reader.next(column);
    columns.push_back(column);
    if (word.empty()) break;
    words.push_back(base::lower_case(word));
    if (words.size() > 5) fault(column, "the banner has a sixth word, " + shown(word), form);
  }
  if (words.size() < 5) fault(columns.back(), fmt::format("the banner has {} of its 5 words", words.size()), form);
  if (words[0] == banner.substr(1))
    header.banner = BannerFault::one_percent;
  else if (words[0] != banner)
    fault(columns[0], shown(words[0]) + " is not %%MatrixMarket", form);
  else if (columns[0] > 1 || header.lines > 1)
    header.banner = BannerFault::after_blanks;
  if (words[1] != "matrix")
    fault(columns[1], "holds a " + shown(words[1]) + ", not a matrix", "only matrices can be read");

  if (words[2] == "coordinate")
    header.format = MarketFormat::coordinate;
  else if (words[2] == "array")
    header.format = MarketFormat::array;
  else
    fault(columns[2], shown(words[2]) + " is no format of Matrix Market", "coordinate or array");

  if (words[3] == "real" || words[3] == "double")
    header.field = MarketField::real;
  else if (words[3] == "integer" || words[3] == "unsigned-integer")
    header.field = MarketField::integer;
  else if (words[3] == "pattern")
    header.field = MarketField::pattern;
  else if (words[3] == "complex")
    header.field = MarketField::complex;
  else
    fault(columns[3], shown(words[3]) + " is no field of Matrix Market", "real, integer, complex or pattern");

  if (words[4] == "general")
    header.symmetry = MarketSymmetry::general;
  else if (words[4] == "symmetric" || words[4] == "hermitian")
    header.symmetry = MarketSymmetry::symmetric;
  else if (words[4] == "skew-symmetric")
    header.symmetry = MarketSymmetry::skew;
  else
    fault(columns[4], shown(words[4]) + " is no symmetry of Matrix Market",
          "general, symmetric, skew-symmetric or hermitian");

  header.conjugate = header.field == MarketField::complex && words[4] == "hermitian";
  if (header.field == MarketField::pattern && header.format == MarketFormat::array)
    fault(columns[3], "an array cannot be a pattern", "use coordinate");
  if (header.field == MarketField::pattern && header.symmetry == MarketSymmetry::skew)
    fault(columns[4], "a pattern cannot be skew-symmetric", "use symmetric");
}

void parse_sizes(std::string_view line, const Fault& fault, MarketHeader& header) {
  const bool coordinate = header.format == MarketFormat::coordinate;
  const auto form = coordinate ? "the size line is: rows columns entries" : "the size line is: rows columns";
  static constexpr const char* names[] = {"rows", "columns", "entries"};
  std::int64_t* const sizes[] = {&header.rows, &header.cols, &header.entries};
  FieldReader reader{line};
  std::int64_t column = 0;
  for (int k = 0; k < (coordinate ? 3 : 2); ++k) {
    const std::string_view field = reader.next(column);
    if (field.empty()) fault(column, fmt::format("the number of {} is missing", names[k]), form);
    const auto number = integer_field(field);
    if (!number.reason.empty()) fault(column, fmt::format("number of {}: {}", names[k], number.reason), form);
    if (number.value < 0) fault(column, fmt::format("{} {}", number.value, names[k]), "sizes are not negative");
    *sizes[k] = number.value;
  }
  if (const std::string_view more = reader.next(column); !more.empty())
    fault(column, "the size line has one field too many, " + shown(more), form);
  if (header.symmetry != MarketSymmetry::general && header.rows != header.cols)
    fault(1, fmt::format("{} rows and {} columns cannot be symmetric", header.rows, header.cols),
          "say general in the banner or fix the sizes");
  if (coordinate) return;
  // n·m, or n(n + 1)/2, or n(n − 1)/2; of two neighbours one is even.
  std::int64_t left = header.rows, right = header.cols;
  if (header.symmetry != MarketSymmetry::general) {
    right = header.symmetry == MarketSymmetry::symmetric ? std::min(right, INT64_MAX - 1) + 1
                                                         : std::max<std::int64_t>(right - 1, 0);
    (left % 2 == 0 ? left : right) /= 2;
  }
  if (__builtin_mul_overflow(left, right, &header.entries))
    fault(1, fmt::format("{} × {} values do not fit 64 bits", header.rows, header.cols), form);
}

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
  if (field.empty()) return fault(column, fmt::format("the {} index is missing", what), "is the file cut off?");
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
    return fault(column, "a part of the value is missing", "complex values are two numbers, or say real in the banner");
  if (field.empty()) return fault(column, "the value is missing", "is the file cut off, or a pattern?");
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
    return fault(
        column, "one field too many, " + shown(more),
        header.field == MarketField::pattern ? "the banner says pattern: entries have no value" : "one entry a line");
  }
  if (header.symmetry == MarketSymmetry::skew && header.format == MarketFormat::coordinate && entry.row == entry.col &&
      (entry.value != 0 || entry.imaginary != 0))
    return fault(1, "a skew-symmetric matrix has no diagonal", "omit the entry or say general in the banner");
  if (header.conjugate && header.format == MarketFormat::coordinate && entry.row == entry.col && entry.imaginary != 0)
    return fault(1, "the diagonal of a Hermitian matrix is real", "fix the entry or say general in the banner");
  return std::nullopt;
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
    if (!out.fault && out.entries == most)
      out.fault = LineFault{0, 1, fmt::format("more entries than the {} that the header promises", header.entries),
                            "fix the size line or remove the surplus"};
    ++out.lines;
    if (out.fault) {
      out.fault->line = out.lines;
      break;
    }
    if constexpr (coordinate) {
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

std::string_view remark_on(BannerFault fault) {
  switch (fault) {
    case BannerFault::one_percent: return "the banner begins with one percent sign instead of two";
    case BannerFault::after_blanks: return "there are blanks before the banner";
    case BannerFault::none: break;
  }
  return {};
}

bool is_matrix_market(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\v\f\r\n"), text.size()));
  if (!text.starts_with("%%")) text = text.substr(0, banner.size() - 1);
  const std::string word = base::lower_case(text.substr(0, banner.size()));
  return word == banner || word == banner.substr(1);
}

std::optional<MarketHeader> parse_market_header(std::string_view text, bool whole, const std::string& file) {
  MarketHeader header;
  std::size_t at = 0;
  for (bool seen_banner = false;;) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos && !whole) return std::nullopt;
    const Fault fault{file, header.lines + 1};
    if (at >= text.size()) {
      throw Error(ErrorCode::bad_input, "the file ends before its size line",
                  {file, std::max<std::int64_t>(header.lines, 1)}, "is it cut off?");
    }
    const std::string_view line = text.substr(at, end == std::string_view::npos ? end : end - at);
    at = end == std::string_view::npos ? text.size() : end + 1;
    ++header.lines;
    const std::size_t first = line.find_first_not_of(blanks);
    if (first == std::string_view::npos) continue;
    if (!seen_banner) {
      parse_banner(line, fault, header);
      seen_banner = true;
      continue;
    }
    if (line[first] == '%') continue;
    parse_sizes(line, fault, header);
    header.first_entry = at;
    return header;
  }
}

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
