#include "base/text.hpp"

#include <fmt/format.h>
#include <array>
#include <cmath>
#include <system_error>

namespace sparsecast::base {
namespace {
struct Unit {
  double scale;
  const char* name;
};

// Three significant digits: 1.23, 12.3, 123.
std::string scaled(double value, const Unit& unit) {
  const double v = value / unit.scale;
  const int decimals = std::abs(v) < 9.995 ? 2 : std::abs(v) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", v, decimals, unit.name);
}

template <std::size_t N>
std::string with_unit(double value, const std::array<Unit, N>& units) {
  for (const Unit& unit : units)
    if (std::abs(value) >= 0.9995 * unit.scale) return scaled(value, unit);
  return scaled(value, units.back());
}
}  // namespace

std::string format_seconds(double seconds) {
  static constexpr std::array<Unit, 4> units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
  return with_unit(seconds, units);
}

std::string format_bytes(double bytes) {
  static constexpr std::array<Unit, 4> units{{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};
  return bytes < 1000 ? fmt::format("{:.0f} B", bytes) : with_unit(bytes, units);
}

std::string format_count(std::int64_t count) {
  const std::string digits = fmt::format("{}", count);
  const std::size_t sign = count < 0 ? 1 : 0;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > sign && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string format_percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string made;
  for (auto at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    made.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return made.append(text);
}

std::string shell_word(std::string_view word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  return "'" + replaced(word, "'", "'\\''") + "'";
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string error_text(int number) { return std::generic_category().message(number); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}
}  // namespace sparsecast::base
