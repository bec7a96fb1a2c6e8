#include "traffic/report/html_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/markup.hpp"
#include "base/text.hpp"

namespace sparsecast::traffic {
namespace {

double moved(const LineTraffic& line) { return line.load_bytes + line.store_bytes; }

std::string page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n<style>\n"
      "body{{font:15px/1.4 sans-serif;margin:2em;color:#222}}\n"
      "table{{border-collapse:collapse;margin-bottom:1.5em}}\n"
      "td,th{{padding:.1em .7em;text-align:right;white-space:nowrap}}\n"
      "th{{border-bottom:1px solid #999;font-weight:600}}\n"
      "td.code,th.code{{text-align:left;font-family:monospace;white-space:pre}}\n"
      "td.line{{color:#888}}\n"
      "td.more{{background:#ffd9b3}}td.less{{background:#cfeccf}}td.gap{{background:#f3f3f3}}\n"
      "table.pair td.code{{white-space:pre-wrap;overflow-wrap:anywhere;width:36em;vertical-align:top}}\n"
      "</style></head><body>\n<h1>{0}</h1>\n{1}</body></html>\n",
      base::markup_escaped(title), body);
}

std::string cell(std::string_view text, std::string_view kind = {}) {
  return kind.empty() ? fmt::format("<td>{}</td>", base::markup_escaped(text))
                      : fmt::format("<td class=\"{}\">{}</td>", kind, base::markup_escaped(text));
}

std::string header(const std::vector<std::string>& names) {
  std::string row = "<tr>";
  for (const std::string& name : names)
    row += name == "region" || name == "program" ? fmt::format("<th class=\"code\">{}</th>", name)
                                                 : fmt::format("<th>{}</th>", base::markup_escaped(name));
  return row + "</tr>\n";
}

bool on_machine(const ProgramTraffic& traffic) {
  return !traffic.regions.empty() && !traffic.regions[0].levels.empty();
}

std::string region_table(const ProgramTraffic& traffic) {
  std::vector<std::string> names{"region", "lines", "calls", "storage", "loaded", "±", "stored", "dense", "sparse"};
  const bool machine = on_machine(traffic);
  if (machine) {
    for (std::size_t k = 1; k < traffic.regions[0].levels.size(); ++k)
      names.push_back("from " + traffic.regions[0].levels[k].level);
    names.emplace_back("time");
  }
  std::string table = "<table>" + header(names);
  for (const RegionTraffic& r : traffic.regions) {
    table += "<tr>" + cell(std::string(static_cast<std::size_t>(2 * r.depth), ' ') + r.name, "code") +
             cell(fmt::format("{}–{}", r.first_line, r.last_line)) + cell(base::format_count(std::llround(r.calls)));
    for (const double bytes :
         {r.storage_bytes, r.load_bytes, r.load_uncertainty, r.store_bytes, r.dense_bytes, r.sparse_bytes})
      table += cell(base::format_bytes(bytes));
    if (machine) {
      for (std::size_t k = 1; k < r.levels.size(); ++k) table += cell(base::format_bytes(r.levels[k].load_bytes));
      table += cell(base::format_seconds(r.seconds));
    }
    table += "</tr>\n";
  }
  return table + "</table>\n";
}

// The lines of one file that move anything.
std::map<std::size_t, const LineTraffic*> lines_of(const ProgramTraffic& traffic, const std::string& file) {
  std::map<std::size_t, const LineTraffic*> lines;
  for (const LineTraffic& line : traffic.lines)
    if (line.file == file) lines[line.line] = &line;
  return lines;
}

std::string program_table(const ProgramTraffic& traffic, const std::string& file, double most) {
  const SourceText source = read_program(file);
  const auto lines = lines_of(traffic, file);
  std::string table =
      "<h2>" + base::markup_escaped(file) + "</h2>\n<table>" + header({"line", "loaded", "stored", "program"});
  for (std::size_t n = 1; n <= source.lines(); ++n) {
    const auto found = lines.find(n);
    const bool moves = found != lines.end();
    const double heat = moves ? moved(*found->second) / most : 0;
    table += moves ? fmt::format("<tr style=\"background:rgba(255,120,0,{:.2f})\">", 0.8 * heat) : "<tr>";
    table += cell(std::to_string(n), "line") + cell(moves ? base::format_bytes(found->second->load_bytes) : "") +
             cell(moves ? base::format_bytes(found->second->store_bytes) : "") + cell(source.line_text(n), "code") +
             "</tr>\n";
  }
  return table + "</table>\n";
}

// Pairs of line numbers in order, 0 where only the other text has a line: a longest common subsequence. Where that
// would take too long, all lines of the one, then all of the other.
std::vector<std::pair<std::size_t, std::size_t>> align(const SourceText& a, const SourceText& b) {
  const std::size_t m = a.lines(), n = b.lines();
  std::vector<std::pair<std::size_t, std::size_t>> rows;
  std::size_t i = 1, j = 1;
  if (m * n <= 25'000'000) {
    // length[i][j] of the lines from i and j on
    std::vector<std::uint32_t> length((m + 2) * (n + 2), 0);
    const auto at = [&](std::size_t x, std::size_t y) -> std::uint32_t& { return length[x * (n + 2) + y]; };
    for (std::size_t x = m; x >= 1; --x)
      for (std::size_t y = n; y >= 1; --y)
        at(x, y) = a.line_text(x) == b.line_text(y) ? at(x + 1, y + 1) + 1 : std::max(at(x + 1, y), at(x, y + 1));
    while (i <= m && j <= n) {
      if (a.line_text(i) == b.line_text(j))
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

std::string side_cells(const SourceText& source, std::size_t line, const LineTraffic* here, double other) {
  if (line == 0) return cell("", "gap") + cell("", "gap") + cell("", "gap");
  const double bytes = here == nullptr ? 0 : moved(*here);
  const std::string_view kind = bytes > other ? "more" : bytes < other ? "less" : "";
  return cell(std::to_string(line), "line") + cell(here == nullptr ? "" : base::format_bytes(bytes), kind) +
         cell(source.line_text(line), "code");
}

std::string side_by_side(const ProgramTraffic& first, const ProgramTraffic& second) {
  const SourceText a = read_program(first.program), b = read_program(second.program);
  const auto lines_a = lines_of(first, first.program), lines_b = lines_of(second, second.program);
  const auto find = [](const auto& lines, std::size_t line) {
    const auto found = lines.find(line);
    return found == lines.end() ? nullptr : found->second;
  };
  std::string table = "<h2>Line by line</h2>\n<table class=\"pair\">" +
                      header({"line", "moved", "program", "line", "moved", "program"});
  for (const auto& [i, j] : align(a, b)) {
    const LineTraffic *left = find(lines_a, i), *right = find(lines_b, j);
    const double bytes_left = left == nullptr ? 0 : moved(*left), bytes_right = right == nullptr ? 0 : moved(*right);
    table += "<tr>" + side_cells(a, i, left, bytes_right) + side_cells(b, j, right, bytes_left) + "</tr>\n";
  }
  return table + "</table>\n";
}

std::string region_differences(const Comparison& comparison, bool machine) {
  std::vector<std::string> names{"region", "loaded first", "second", "change", "stored first", "second"};
  if (machine) names.insert(names.end(), {"time first", "second"});
  std::string table = "<table>" + header(names);
  for (const RegionDifference& d : comparison.regions) {
    const auto side = [](const RegionTraffic* region, double RegionTraffic::*bytes) {
      return cell(region == nullptr ? "–" : base::format_bytes(region->*bytes));
    };
    const bool both = d.first != nullptr && d.second != nullptr && d.first->load_bytes > 0;
    table += "<tr>" + cell(d.name, "code") + side(d.first, &RegionTraffic::load_bytes) +
             side(d.second, &RegionTraffic::load_bytes) +
             cell(both ? base::format_percent(d.second->load_bytes / d.first->load_bytes - 1) : "–") +
             side(d.first, &RegionTraffic::store_bytes) + side(d.second, &RegionTraffic::store_bytes);
    if (machine)
      for (const RegionTraffic* region : {d.first, d.second})
        table += cell(region == nullptr ? "–" : base::format_seconds(region->seconds));
    table += "</tr>\n";
  }
  return table + "</table>\n";
}

}  // namespace

std::string to_html(const ProgramTraffic& traffic) {
  double most = 1;
  for (const LineTraffic& line : traffic.lines) most = std::max(most, moved(line));
  // Every file that a region stands in, whole.
  std::vector<std::string> files{traffic.program};
  for (const RegionTraffic& r : traffic.regions)
    if (std::find(files.begin(), files.end(), r.file) == files.end()) files.push_back(r.file);
  std::string body = region_table(traffic);
  for (const std::string& file : files) body += program_table(traffic, file, most);
  return page("Memory movement of " + traffic.program, body);
}

std::string to_html(const ProgramTraffic& first, const ProgramTraffic& second, const Comparison& comparison) {
  return page("Memory movement of " + first.program + " and " + second.program,
              region_differences(comparison, on_machine(first)) + side_by_side(first, second));
}

}  // namespace sparsecast::traffic
