#include "memory_traffic/report/report.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "base/page/text_table.hpp"
#include "base/text.hpp"

namespace sparsecast::memory_traffic {
namespace {
std::int64_t bytes(double value) { return std::llround(value); }

std::string megabytes(double value) { return fmt::format("{:.2f}", value / 1e6); }

std::string analysis(const RegionTraffic& region) {
  return fmt::format(
      "Memory analysis for body: {}\n"
      "  Total: storage requirement Mbytes (SR):    {:>12}\n"
      "  Total: loaded from L2 -> L1 Mbytes (WSL):  {:>12} ± {}\n"
      "  Total: stored Mbytes (WSS):                {:>12}\n"
      "  DGEMM Mbytes:                              {:>12} ± {}\n"
      "  Sparse operations Mbytes:                  {:>12} ± {}\n",
      region.name, megabytes(region.storage_bytes), megabytes(region.load_bytes), megabytes(region.load_uncertainty),
      megabytes(region.store_bytes), megabytes(region.dense_bytes), megabytes(region.dense_uncertainty),
      megabytes(region.sparse_bytes), megabytes(region.sparse_uncertainty));
}

// What one turn of the region's loop moves, or one of its calls.
std::string iteration_text(const RegionTraffic& region) {
  if (!region.per_iteration) return {};
  const IterationTraffic& one = *region.per_iteration;
  const std::string what = one.loop_line > 0
                               ? fmt::format("turn of the loop in line {} ({} turns)", one.loop_line,
                                             base::format_count(bytes(one.iterations)))
                               : fmt::format("call ({} calls)", base::format_count(bytes(one.iterations)));
  std::string text = fmt::format("  Per {}: WSL {}, WSS {}", what, base::format_bytes(one.load_bytes),
                                 base::format_bytes(one.store_bytes));
  if (one.seconds.value_or(0) > 0) text += ", " + base::format_seconds(*one.seconds);
  return text + '\n';
}

std::string whole_text(const ProgramLevels& whole, const base::Layout& page) {
  std::string text;
  if (whole.measured_seconds || !whole.counters.empty()) {
    base::TextTable table({"from", "forecast", "counted"});
    for (std::size_t k = 1; k < whole.levels.size(); ++k)
      table.add({whole.levels[k].level, base::format_bytes(whole.levels[k].bytes),
                 whole.levels[k].measured_bytes ? base::format_bytes(*whole.levels[k].measured_bytes) : "–"});
    table.add({"time", base::format_seconds(whole.seconds),
               whole.measured_seconds ? base::format_seconds(*whole.measured_seconds) : "–"});
    text += "\n" + table.text(page) + "Counted: " + whole.counters +
            ". The measured run is Octave's, which keeps every\n" +
            "intermediate result in memory; the forecast is of a compiled program.\n";
  }
  return text;
}

std::string scopes_text(const std::vector<ScopeTraffic>& scopes, const base::Layout& page) {
  if (scopes.empty()) return "\nNo branch or loop stands in a region.\n";
  base::TextTable table({"scope", "of", "runs", "SR", "WSL", "WSS"});
  for (const ScopeTraffic& scope : scopes)
    table.add({scope.name, scope.region, base::format_count(bytes(scope.runs)), base::format_bytes(scope.storage_bytes),
               base::format_bytes(scope.load_bytes), base::format_bytes(scope.store_bytes)});
  return "\nBranches and loops, each without those within it:\n" + table.text(page);
}

std::string remarks_text(const ProgramTraffic& traffic) {
  std::string text;
  for (const std::string& remark : traffic.remarks) text += (text.empty() ? "\nRemark: " : "Remark: ") + remark + "\n";
  return text;
}

std::string side(double value, bool there) { return there ? base::format_bytes(value) : "–"; }

// The lines of all files that move most, but for those that hardly count.
std::vector<const LineTraffic*> hot_lines(const ProgramTraffic& traffic) {
  std::vector<const LineTraffic*> lines;
  double all = 0;
  for (const LineTraffic& line : traffic.lines) {
    lines.push_back(&line);
    all += line.load_bytes + line.store_bytes;
  }
  const auto moved = [](const LineTraffic* line) { return line->load_bytes + line->store_bytes; };
  std::stable_sort(lines.begin(), lines.end(), [&](auto* a, auto* b) { return moved(a) > moved(b); });
  std::erase_if(lines, [&](auto* line) { return moved(line) < all / 1000; });
  if (lines.size() > 20) lines.resize(20);
  return lines;
}
}  // namespace

std::string legend_text() {
  std::string text;
  for (const auto& [name, meaning] : traffic_legend) text += fmt::format("{}: {}\n", name, meaning);
  return text;
}

std::string to_text(const ProgramTraffic& traffic, const base::Layout& page) {
  std::vector<std::string> head{"region", "lines", "calls", "SR", "WSL", "±", "WSS", "DGEMM", "sparse"};
  const bool machine = !traffic.regions.empty() && !traffic.regions[0].levels.empty();
  if (machine) {
    for (std::size_t k = 1; k < traffic.regions[0].levels.size(); ++k)
      head.push_back("from " + traffic.regions[0].levels[k].level);
    head.emplace_back("time");
    head.emplace_back("in products");
  }
  base::TextTable tree(head);
  for (const RegionTraffic& region : traffic.regions) {
    std::vector<std::string> row{std::string(static_cast<std::size_t>(2 * region.depth), ' ') + region.name,
                                 fmt::format("{}–{}", region.first_line, region.last_line),
                                 base::format_count(bytes(region.calls)),
                                 base::format_bytes(region.storage_bytes),
                                 base::format_bytes(region.load_bytes),
                                 base::format_bytes(region.load_uncertainty),
                                 base::format_bytes(region.store_bytes),
                                 base::format_bytes(region.dense_bytes),
                                 base::format_bytes(region.sparse_bytes)};
    if (machine) {
      for (std::size_t k = 1; k < region.levels.size(); ++k)
        row.push_back(base::format_bytes(region.levels[k].load_bytes));
      row.push_back(base::format_seconds(region.seconds.value_or(0)));
      row.push_back(region.product_seconds ? base::format_seconds(*region.product_seconds) : "–");
    }
    tree.add(std::move(row));
  }
  std::string text = tree.text(page);
  for (const RegionTraffic& region : traffic.regions) {
    text += '\n';
    text += analysis(region) + iteration_text(region);
  }
  if (traffic.scopes) text += scopes_text(*traffic.scopes, page);
  text += remarks_text(traffic);
  if (traffic.whole) text += whole_text(*traffic.whole, page);
  const auto lines = hot_lines(traffic);
  if (!lines.empty()) {
    base::TextTable table({"Lines that move most", "loaded", "stored", ""});
    table.words_last();
    for (const LineTraffic* line : lines)
      table.add(
          {line->file == traffic.program ? std::to_string(line->line) : fmt::format("{}:{}", line->file, line->line),
           base::format_bytes(line->load_bytes), base::format_bytes(line->store_bytes), line->text});
    text += "\n" + table.text(page);
  }
  return text + "\n" + legend_text();
}

std::string to_text(const TrafficComparison& comparison, const base::Layout& page) {
  const ProgramTraffic &first = comparison.first, &second = comparison.second;
  const bool machine = !first.regions.empty() && !first.regions[0].levels.empty();
  std::vector<std::string> head{"region", "WSL first", "WSL second", "change", "WSS first", "WSS second"};
  if (machine) head.insert(head.end(), {"time first", "time second"});
  base::TextTable regions(head);
  for (const RegionDifference& d : comparison.regions) {
    const RegionTraffic none;
    const RegionTraffic& a = d.first ? first.regions[*d.first] : none;
    const RegionTraffic& b = d.second ? second.regions[*d.second] : none;
    std::vector<std::string> row{
        d.name,
        side(a.load_bytes, d.first.has_value()),
        side(b.load_bytes, d.second.has_value()),
        a.load_bytes > 0 && d.second.has_value() ? base::format_percent(b.load_bytes / a.load_bytes - 1) : "–",
        side(a.store_bytes, d.first.has_value()),
        side(b.store_bytes, d.second.has_value())};
    if (machine)
      row.insert(row.end(), {base::format_seconds(a.seconds.value_or(0)), base::format_seconds(b.seconds.value_or(0))});
    regions.add(std::move(row));
  }
  std::string text = fmt::format("first:  {}\nsecond: {}\n\n", first.program, second.program) + regions.text(page);
  text += remarks_text(first) + remarks_text(second);
  if (comparison.lines.empty()) return text + "\nNo line moves differently.\n";
  text += "\nLines that move differently:\n";
  base::TextTable lines({"first", "loaded", "stored", "second", "loaded", "stored", "line"});
  lines.words_last();
  for (const LineDifference& d : comparison.lines) {
    const LineTraffic none;
    const LineTraffic& a = d.first ? first.lines[*d.first] : none;
    const LineTraffic& b = d.second ? second.lines[*d.second] : none;
    lines.add({d.first.has_value() ? std::to_string(a.line) : "–", side(a.load_bytes, d.first.has_value()),
               side(a.store_bytes, d.first.has_value()), d.second.has_value() ? std::to_string(b.line) : "–",
               side(b.load_bytes, d.second.has_value()), side(b.store_bytes, d.second.has_value()), d.text});
  }
  return text + lines.text(page);
}
}  // namespace sparsecast::memory_traffic
