#include "matrix/io/numbers/fortran_format.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace sparsecast::matrix {
namespace {
constexpr int longest_line = 4096;
constexpr std::size_t most_fields = 1024;

/// A recursive descent over the descriptors; `reason` stops it.
class FormatParser {
 public:
  explicit FormatParser(std::string_view text) {
    for (const char c : text)
      if (c != ' ') text_ += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }

  ParsedFormat parse() {
    if (!take('(')) stop("does not begin with a parenthesis");
    list(0);
    if (reason_.empty() && at_ != text_.size()) stop("continues after its last parenthesis");
    if (reason_.empty() && format_.fields.empty()) stop("has no field");
    if (reason_.empty() && std::ranges::any_of(format_.fields, [&](const FortranField& field) {
          return (field.width > 0) != format_.has_widths();
        }))
      stop("gives only some of its widths");
    format_.text = shown(text_);
    return {std::move(format_), std::move(reason_)};
  }

 private:
  void stop(const std::string& why) {
    if (reason_.empty()) reason_ = fmt::format("the Fortran format {} {}", shown(text_), why);
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// Digits, or `missing` where there are none.
  int number(int missing) {
    if (at_ >= text_.size() || text_[at_] < '0' || text_[at_] > '9') return missing;
    int value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      value = std::min(value * 10 + (text_[at_] - '0'), longest_line + 1);
    return value;
  }

  /// Items up to the closing parenthesis.
  void list(int depth) {
    if (depth > 4) return stop("is nested too deeply");
    while (reason_.empty() && !take(')')) {
      if (at_ >= text_.size()) return stop("does not end");
      if (take(',')) continue;
      item(depth);
    }
  }

  void item(int depth) {
    const bool negative = take('-');
    const int count = number(1);
    if (take('P')) {
      scale_ = negative ? -count : count;
      return;
    }
    if (negative || count > longest_line) return stop("is not understood");
    if (take('X')) {
      offset_ += count;
      return;
    }
    if (take('(')) {
      const std::size_t inside = at_;
      for (int k = 0; k < std::max(count, 1) && reason_.empty(); ++k) {
        at_ = inside;
        const std::size_t before = format_.fields.size();
        list(depth + 1);
        if (format_.fields.size() == before) return stop("has a group without a field");
      }
      return;
    }
    fields(count);
  }

  void fields(int count) {
    const char kind = at_ < text_.size() ? text_[at_++] : ' ';
    if (kind == 'E' && at_ < text_.size() && (text_[at_] == 'S' || text_[at_] == 'N')) ++at_;
    if (kind != 'I' && kind != 'E' && kind != 'D' && kind != 'F' && kind != 'G')
      return stop("has an unknown descriptor");
    FortranField field;
    constexpr int none = -1;
    const int width = number(none);
    field.width = std::max(width, 0);
    field.scale = scale_;
    const int digits = take('.') ? number(0) : 0;
    if (kind != 'I') field.decimals = digits;  // of an integer the digits are the fewest to be written
    if (kind != 'I' && take('E')) number(0);   // digits of the exponent matter only for writing
    if (width == 0 || width > longest_line) return stop("has a field without a sensible width");
    if (format_.fields.empty()) format_.integer = kind == 'I';
    if (format_.integer != (kind == 'I')) return stop("mixes integers and reals");
    for (int k = 0; k < count; ++k) {
      field.begin = offset_;
      offset_ += field.width;
      if (format_.fields.size() >= most_fields || offset_ > longest_line) return stop("makes lines too long");
      format_.fields.push_back(field);
    }
  }

  std::string text_;
  std::size_t at_ = 0;
  int offset_ = 0;
  int scale_ = 0;
  FortranFormat format_;
  std::string reason_;
};

/// The characters without blanks.
std::string field_text(std::string_view characters) {
  std::string text;
  for (const char c : characters)
    if (c != ' ' && c != '\t' && c != '\r') text += c;
  return text;
}
}  // namespace

ParsedFormat parse_fortran_format(std::string_view text) { return FormatParser(text).parse(); }

FieldNumber<std::int64_t> fortran_integer(std::string_view characters, const FortranField& /*field*/,
                                          bool /*by_blanks*/) {
  const std::string text = field_text(characters);
  if (text.empty()) return {0, "is missing"};
  return integer_field(text);
}

FieldNumber<double> fortran_real(std::string_view characters, const FortranField& field, bool by_blanks) {
  std::string text = field_text(characters);
  if (text.empty()) return {0, "is missing"};
  const std::string written_text = shown(text);
  const std::size_t point = text.find('.');
  std::size_t exponent = text.find_first_of("EeDdQq");
  if (exponent == std::string::npos) {
    // "1.5-103": the letter gives way to the third digit of the exponent.
    exponent = text.find_first_of("+-", 1);
    if (exponent != std::string::npos) text.insert(exponent, 1, 'e');
  } else {
    text[exponent] = 'e';
  }
  int shift = point == std::string::npos ? -field.decimals : 0;
  if (exponent == std::string::npos) shift -= field.scale;
  if (by_blanks && shift != 0 && text.find_first_of("123456789") != std::string::npos)
    return {0, written_text + " has no point, and does not stand where the format could imply one"};
  if (shift != 0) {
    std::int64_t power = shift;
    if (exponent != std::string::npos) {
      const auto written = integer_field(std::string_view(text).substr(exponent + 1));
      if (!written.reason.empty()) return {0, written_text + " is not a number"};
      power += std::clamp<std::int64_t>(written.value, -100000, 100000);
      text.resize(exponent);
    }
    text += fmt::format("e{}", power);
  }
  auto number = real_field(text);
  if (!number.reason.empty()) number.reason.replace(0, shown(text).size(), written_text);
  return number;
}
}  // namespace sparsecast::matrix
