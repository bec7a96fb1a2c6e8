// What a MATLAB program moves: its regions, and its text with the hot lines.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "pages/picture.hpp"
#include "pages/section.hpp"
#include "pages/sections/program_text.hpp"
#include "pages/table.hpp"

namespace sparsecast::pages {
namespace {

double region_bytes(const Json& region) {
  return number(region, "wsl_bytes").value_or(0) + number(region, "wss_bytes").value_or(0);
}

Element regions_table(const Json& document, const std::string& prefix) {
  const Json& regions = list(document, "regions");
  std::vector<Column> columns{{"region", "region", Unit::plain, true},
                              {"lines", "lines", Unit::plain, true},
                              {"calls", "calls", Unit::count},
                              {"sr_bytes", "SR", Unit::bytes, false, "storage requirement"},
                              {"wsl_bytes", "WSL", Unit::bytes, false, "working set loaded"},
                              {"wsl_uncertainty_bytes", "±", Unit::bytes},
                              {"wss_bytes", "WSS", Unit::bytes, false, "working set stored"},
                              {"dgemm_bytes", "DGEMM", Unit::bytes},
                              {"sparse_bytes", "sparse", Unit::bytes}};
  const Json& levels = regions.empty() ? regions : list(regions.front(), "levels");
  for (std::size_t k = 1; k < levels.size(); ++k)
    columns.push_back({text(levels[k], "level") + "_load_bytes", "from " + text(levels[k], "level"), Unit::bytes});
  columns.push_back({"seconds", "time", Unit::seconds});
  columns.push_back({"product_seconds", "in products", Unit::seconds});
  Table table(prefix + "regions", "Regions of " + text(document, "program"), columns);
  for (const Json& r : regions) {
    const auto depth = static_cast<std::size_t>(std::clamp(number(r, "depth").value_or(0), 0.0, 64.0));
    std::string name;
    for (std::size_t i = 0; i < depth; ++i) name += "\u2003";  // an em space: blanks would run together
    std::vector<Cell> row{name + text(r, "name"),
                          fmt::format("{}–{}", shown(number(r, "first_line").value_or(0), Unit::count),
                                      shown(number(r, "last_line").value_or(0), Unit::count)),
                          number(r, "calls"),
                          number(r, "sr_bytes"),
                          number(r, "wsl_bytes"),
                          number(r, "wsl_uncertainty_bytes"),
                          number(r, "wss_bytes"),
                          number(r, "dgemm_bytes"),
                          number(r, "sparse_bytes")};
    const Json& own = list(r, "levels");
    for (std::size_t k = 1; k < levels.size(); ++k)
      row.emplace_back(k < own.size() ? number(own[k], "load_bytes") : std::nullopt);
    row.emplace_back(number(r, "seconds"));
    row.emplace_back(number(r, "product_seconds"));
    table.add(std::move(row));
  }
  return table.element();
}

// The text of one file, each line with what it moves: the more, the darker, and a bar that tells it without colour.
Element program_listing(const Json& document, const std::string& file, std::string_view source, double most) {
  const auto lines = lines_of(document, file);
  Element head("tr");
  for (const char* name : {"line", "loaded", "stored"}) head.add(Element("th").with("scope", "col").text(name));
  head.add(Element("th", "words").with("scope", "col").text("program"));
  Element body("tbody");
  std::size_t n = 0;
  for (const std::string_view line : program_lines(source)) {
    const auto found = lines.find(++n);
    const double heat = found == lines.end() ? 0 : region_bytes(*found->second) / most;
    Element row("tr");
    if (heat > 0) row.with("class", "hot").with("style", fmt::format("--heat:{:.3g}", heat));
    row.add(Element("td", "line").text(std::to_string(n)));
    for (const char* bytes : {"wsl_bytes", "wss_bytes"})
      row.add("td", found == lines.end() ? "" : base::format_bytes(number(*found->second, bytes).value_or(0)));
    body.add(row.add(Element("td", "code").text(line)));
  }
  return Element("div", "scroll")
      .with("tabindex", "0")
      .with("role", "region")
      .with("aria-label", file)
      .add(Element("table", "program").add("caption", file).add(Element("thead").add(head)).add(body));
}

}  // namespace

std::map<std::size_t, const Json*> lines_of(const Json& document, const std::string& file) {
  std::map<std::size_t, const Json*> lines;
  for (const Json& line : list(document, "lines"))
    if (const auto n = number(line, "line"); n && *n >= 1 && text(line, "file") == file)
      lines[static_cast<std::size_t>(*n)] = &line;
  return lines;
}

std::vector<std::string_view> program_lines(std::string_view source) {
  std::vector<std::string_view> lines = base::split(source, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string source_of(const Json& page, const std::string& file) {
  for (const Json& source : list(page, "sources"))
    if (text(source, "file") == file) return text(source, "text");
  return {};
}

MaybeElement traffic_section(const Json& document, const std::string& prefix, const Json& page) {
  const Json &regions = list(document, "regions"), &lines = list(document, "lines");
  if (regions.empty() && lines.empty()) return {};
  Element out("div");
  double most = 1;
  for (const Json& line : lines) most = std::max(most, region_bytes(line));
  const auto hottest = std::ranges::max_element(regions, {}, region_bytes);
  if (hottest != regions.end())
    out.add(Element("p", "answer")
                .text("Most is moved in ")
                .add("strong", text(*hottest, "name"))
                .text(fmt::format(
                    ": {} loaded and {} stored{}.", base::format_bytes(number(*hottest, "wsl_bytes").value_or(0)),
                    base::format_bytes(number(*hottest, "wss_bytes").value_or(0)),
                    number(*hottest, "seconds") ? " in " + base::format_seconds(*number(*hottest, "seconds")) : "")));
  out.add(regions_table(document, prefix));
  if (const auto legend = document.find("legend"); legend != document.end() && legend->is_object()) {
    Element words("dl", "legend");
    for (const auto& [name, meaning] : legend->items())
      if (meaning.is_string()) words.add("dt", name).add("dd", meaning.get<std::string>());
    out.add(words);
  }
  // Every file that a region stands in, whole.
  std::vector<std::string> files{text(document, "program")};
  for (const Json& r : regions)
    if (std::ranges::find(files, text(r, "file")) == files.end()) files.push_back(text(r, "file"));
  for (const std::string& file : files)
    if (const std::string source = source_of(page, file); !source.empty())
      out.add(program_listing(document, file, source, most));
  return out;
}

}  // namespace sparsecast::pages
