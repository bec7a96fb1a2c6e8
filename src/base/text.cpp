#include "base/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>
#include <utility>

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

int edit_distance(std::string_view first, std::string_view second) {
  const std::string a = lower_case(first), b = lower_case(second);
  // Rows of the table of distances between beginnings: the last but one, the last, the current.
  std::vector<int> before, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(above, row);
  }
  return above[b.size()];
}

std::vector<std::string> nearest(std::string_view word, std::span<const std::string> known, std::size_t most) {
  const int allowed = std::max(1, static_cast<int>(word.size()) / 3);
  std::vector<std::pair<int, std::string>> near;
  for (const std::string& name : known) {
    const bool begins = word.size() > 1 && lower_case(name).starts_with(lower_case(word));
    // Every letter too many is one change: words of very different lengths need no table.
    const auto [shorter, longer] = std::minmax({word.size(), name.size()});
    if (!begins && longer - shorter > static_cast<std::size_t>(allowed)) continue;
    const int distance = begins ? 1 : edit_distance(word, name);
    if (distance <= allowed) near.emplace_back(distance, name);
  }
  std::ranges::stable_sort(near, {}, &std::pair<int, std::string>::first);
  std::vector<std::string> names;
  for (auto& [distance, name] : near)
    if (names.size() < most && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  return names;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::vector<std::string> near = nearest(word, known);
  return near.empty() ? std::string() : fmt::format("did you mean {}?", fmt::join(near, " or "));
}

std::string markup_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}
}  // namespace sparsecast::base
