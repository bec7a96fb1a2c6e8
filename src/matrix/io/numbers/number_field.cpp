#include "matrix/io/numbers/number_field.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace sparsecast::matrix {
namespace {
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }
}  // namespace

std::string shown(std::string_view field) {
  constexpr std::size_t longest = 40;
  std::string out = "'";
  for (const char c : field.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + (field.size() > longest ? "…'" : "'");
}

FieldNumber<std::int64_t> integer_field(std::string_view field) {
  std::string_view digits = field;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (rest != digits.data() + digits.size() || digits.empty() ||
      (field.size() > 1 && field[0] == '+' && field[1] == '-') || error == std::errc::invalid_argument)
    return {0, shown(field) + " is not an integer"};
  if (error != std::errc()) return {0, shown(field) + " does not fit 64 bits"};
  return {value, {}};
}

FieldNumber<double> real_field(std::string_view field) {
  std::string text = base::lower_case(field);
  if (!text.empty() && text.front() == '+') text.erase(0, 1);
  const std::string_view unsigned_text = std::string_view(text).substr(!text.empty() && text.front() == '-' ? 1 : 0);
  if (unsigned_text.starts_with("nan")) return {0, shown(field) + " is not a finite number"};
  if (unsigned_text == "inf" || unsigned_text == "infinity") return {0, shown(field) + " is not a finite number"};
  std::ranges::replace(text, 'd', 'e');
  double value = 0;
  const auto [rest, error] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  if (rest != text.data() + text.size() || text.empty() || (field.size() > 1 && field[0] == '+' && field[1] == '-') ||
      (error != std::errc() && error != std::errc::result_out_of_range))
    return {0, shown(field) + " is not a number"};
  if (!std::isfinite(value)) return {0, shown(field) + " overflows a double"};
  return {value, {}};
}

std::string_view FieldReader::next(std::int64_t& column) {
  while (at < line.size() && is_blank(line[at])) ++at;
  const std::size_t begin = at;
  while (at < line.size() && !is_blank(line[at])) ++at;
  column = static_cast<std::int64_t>(begin) + 1;
  return line.substr(begin, at - begin);
}
}  // namespace sparsecast::matrix
