#include "matrix/io/market_header.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>
#include <vector>

#include "base/text.hpp"
#include "matrix/io/numbers/number_field.hpp"

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
    fault(columns[2], shown(words[2]) + " is not a format of Matrix Market", "use coordinate or array");

  if (words[3] == "real" || words[3] == "double")
    header.field = MarketField::real;
  else if (words[3] == "integer" || words[3] == "unsigned-integer")
    header.field = MarketField::integer;
  else if (words[3] == "pattern")
    header.field = MarketField::pattern;
  else if (words[3] == "complex")
    header.field = MarketField::complex;
  else
    fault(columns[3], shown(words[3]) + " is not a field of Matrix Market", "use real, integer, complex or pattern");

  if (words[4] == "general")
    header.symmetry = MarketSymmetry::general;
  else if (words[4] == "symmetric" || words[4] == "hermitian")
    header.symmetry = MarketSymmetry::symmetric;
  else if (words[4] == "skew-symmetric")
    header.symmetry = MarketSymmetry::skew;
  else
    fault(columns[4], shown(words[4]) + " is not a symmetry of Matrix Market",
          "use general, symmetric, skew-symmetric or hermitian");

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
}  // namespace

std::string_view remark_on(BannerFault fault) {
  switch (fault) {
    case BannerFault::one_percent: return "the banner begins with one percent sign instead of two";
    case BannerFault::after_blanks: return "there are blanks before the banner";
    case BannerFault::none: break;
  }
  return {};
}

std::string promised_entries(const MarketHeader& header) {
  if (header.format == MarketFormat::coordinate || header.symmetry == MarketSymmetry::general)
    return fmt::format("{} entries", header.entries);
  if (header.symmetry == MarketSymmetry::skew)
    return fmt::format("{} values below the diagonal, which are all of a skew-symmetric array", header.entries);
  return fmt::format("{} values from the diagonal down, which are all of a symmetric array", header.entries);
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
                  {file, std::max<std::int64_t>(header.lines, 1)}, "check whether it is cut off");
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
}  // namespace sparsecast::matrix
