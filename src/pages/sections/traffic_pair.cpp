// Two versions of a program: their regions beside each other, and their texts line by line.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "pages/section.hpp"
#include "pages/sections/program_text.hpp"
#include "pages/table.hpp"

namespace sparsecast::pages {
namespace {

constexpr std::size_t most_pairs = 25'000'000;

// Pairs of line numbers in order, 0 where only the other text has a line: a longest common subsequence. Where that
// would take too long, all lines of the one, then all of the other.
std::vector<std::pair<std::size_t, std::size_t>> aligned(const std::vector<std::string_view>& a,
                                                         const std::vector<std::string_view>& b) {
  const std::size_t m = a.size(), n = b.size();
  std::vector<std::pair<std::size_t, std::size_t>> rows;
  std::size_t i = 1, j = 1;
  if (m * n <= most_pairs) {
    // length[i][j] of the lines from i and j on
    std::vector<std::uint32_t> length((m + 2) * (n + 2), 0);
    const auto at = [&](std::size_t x, std::size_t y) -> std::uint32_t& { return length[x * (n + 2) + y]; };
    for (std::size_t x = m; x >= 1; --x)
      for (std::size_t y = n; y >= 1; --y)
        at(x, y) = a[x - 1] == b[y - 1] ? at(x + 1, y + 1) + 1 : std::max(at(x + 1, y), at(x, y + 1));
    while (i <= m && j <= n) {
      if (a[i - 1] == b[j - 1])
        rows.emplace_back(i++, j++);
      else if (at(i + 1, j) >= at(i, j + 1))
        rows.emplace_back(i++, 0);
      else
        rows.emplace_back(0, j++);
    }
  }
  while (i <= m) rows.emplace_back(i++, 0);
  while (j <= n) rows.emplace_back(0, j++);
  return rows;
}

double moved_by(const std::map<std::size_t, const Json*>& lines, std::size_t line) {
  const auto found = lines.find(line);
  if (found == lines.end()) return 0;
  return number(*found->second, "wsl_bytes").value_or(0) + number(*found->second, "wss_bytes").value_or(0);
}

// Three cells: line, bytes with a sign of which side moves more, text.
void add_side(Element& row, const std::vector<std::string_view>& lines, std::size_t line, double bytes, double other) {
  if (line == 0) {
    for (int cell = 0; cell < 3; ++cell) row.add(Element("td", "gap"));
    return;
  }
  const std::string_view kind = bytes > other ? "more" : bytes < other ? "less" : "";
  row.add(Element("td", "line").text(std::to_string(line)));
  Element moved("td");
  if (!kind.empty()) moved.with("class", kind);
  row.add(moved.text(bytes > 0 ? base::format_bytes(bytes) : ""));
  row.add(Element("td", "code").text(lines[line - 1]));
}

Element side_by_side(const Json& first, const Json& second, const std::string& text_a, const std::string& text_b) {
  const auto a = program_lines(text_a), b = program_lines(text_b);
  const auto lines_a = lines_of(first, text(first, "program")), lines_b = lines_of(second, text(second, "program"));
  Element head("tr");
  for (int side = 0; side < 2; ++side) {
    for (const char* name : {"line", "moved"}) head.add(Element("th").with("scope", "col").text(name));
    head.add(Element("th", "words").with("scope", "col").text(text(side == 0 ? first : second, "program")));
  }
  Element body("tbody");
  for (const auto& [i, j] : aligned(a, b)) {
    const double left = i == 0 ? 0 : moved_by(lines_a, i), right = j == 0 ? 0 : moved_by(lines_b, j);
    Element row("tr");
    add_side(row, a, i, left, right);
    add_side(row, b, j, right, left);
    body.add(row);
  }
  return Element("div", "scroll")
      .with("tabindex", "0")
      .with("role", "region")
      .with("aria-label", "both programs, line by line")
      .add(Element("table", "program pair").add("caption", "Line by line").add(Element("thead").add(head)).add(body));
}

const Json& region_named(const Json& document, const std::string& name) {
  static const Json nothing;
  for (const Json& region : list(document, "regions"))
    if (text(region, "name") == name) return region;
  return nothing;
}

}  // namespace

MaybeElement traffic_pair_section(const Json& document, const std::string& prefix, const Json& page) {
  const Json &first = member(document, "first"), &second = member(document, "second");
  if (!first.is_object() || !second.is_object()) return {};
  Table table(prefix + "regions", "Regions of both",
              {{"region", "region", Unit::plain, true},
               {"first_wsl_bytes", "loaded, first", Unit::bytes},
               {"second_wsl_bytes", "second", Unit::bytes},
               {"change", "change", Unit::share},
               {"first_wss_bytes", "stored, first", Unit::bytes},
               {"second_wss_bytes", "second", Unit::bytes},
               {"first_s", "time, first", Unit::seconds},
               {"second_s", "second", Unit::seconds}});
  for (const Json& r : list(document, "regions")) {
    const std::string name = text(r, "name");
    const Json &a = region_named(first, name), &b = region_named(second, name);
    const auto before = number(r, "first_wsl_bytes"), after = number(r, "second_wsl_bytes");
    table.add({name, before, after,
               before && after && *before > 0 ? std::optional<double>(*after / *before - 1) : std::nullopt,
               number(a, "wss_bytes"), number(b, "wss_bytes"), number(a, "seconds"), number(b, "seconds")});
  }
  Element out("div");
  if (!table.empty()) out.add(table.element());
  const std::string text_a = source_of(page, text(first, "program")), text_b = source_of(page, text(second, "program"));
  if (!text_a.empty() && !text_b.empty()) out.add(side_by_side(first, second, text_a, text_b));
  return out.empty() ? MaybeElement() : out;
}

}  // namespace sparsecast::pages
