#include "traffic/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace sparsecast::traffic {
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
std::string per_iteration(const RegionTraffic& region) {
  const double count = region.iterations();
  if (count <= 0) return {};
  const std::string what = region.loop_line > 0 ? fmt::format("turn of the loop in line {} ({} turns)",
                                                              region.loop_line, base::format_count(bytes(count)))
                                                : fmt::format("call ({} calls)", base::format_count(bytes(count)));
  std::string text = fmt::format("  Per {}: WSL {}, WSS {}", what, base::format_bytes(region.load_bytes / count),
                                 base::format_bytes(region.store_bytes / count));
  if (region.seconds > 0) text += ", " + base::format_seconds(region.seconds / count);
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

nlohmann::ordered_json region_json(const RegionTraffic& region) {
  nlohmann::ordered_json row;
  row["name"] = region.name;
  row["file"] = region.file;
  row["first_line"] = region.first_line;
  row["last_line"] = region.last_line;
  row["depth"] = region.depth;
  row["calls"] = bytes(region.calls);
  row["sr_bytes"] = bytes(region.storage_bytes);
  row["wsl_bytes"] = bytes(region.load_bytes);
  row["wsl_uncertainty_bytes"] = bytes(region.load_uncertainty);
  row["wss_bytes"] = bytes(region.store_bytes);
  row["dgemm_bytes"] = bytes(region.dense_bytes);
  row["dgemm_uncertainty_bytes"] = bytes(region.dense_uncertainty);
  row["sparse_bytes"] = bytes(region.sparse_bytes);
  row["sparse_uncertainty_bytes"] = bytes(region.sparse_uncertainty);
  if (!region.levels.empty()) {
    row["levels"] = nlohmann::ordered_json::array();
    for (const LevelTraffic& level : region.levels)
      row["levels"].push_back(
          {{"level", level.level}, {"load_bytes", bytes(level.load_bytes)}, {"store_bytes", bytes(level.store_bytes)}});
    row["seconds"] = region.seconds;
    if (region.product_seconds > 0) row["product_seconds"] = region.product_seconds;
  }
  if (const double count = region.iterations(); count > 0) {
    row["per_iteration"] = {{"iterations", bytes(count)},
                            {"loop_line", region.loop_line},
                            {"wsl_bytes", region.load_bytes / count},
                            {"wss_bytes", region.store_bytes / count}};
    if (!region.levels.empty()) row["per_iteration"]["seconds"] = region.seconds / count;
  }
  return row;
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

std::vector<std::pair<std::string, std::string>> legend() {
  return {
      {"SR", "storage requirement: bytes of the variables that live at once"},
      {"WSL", "working set loaded: bytes from the second-level cache into the first"},
      {"WSS", "working set stored: bytes that are written"},
      {"±",
       "what may be read again: an operand of a sparse product, blocks of a dense one, of a factorization or a sort"}};
}

std::string legend_text() {
  std::string text;
  for (const auto& [name, meaning] : legend()) text += fmt::format("{}: {}\n", name, meaning);
  return text;
}

nlohmann::ordered_json to_json(const ProgramTraffic& traffic) {
  nlohmann::ordered_json document;
  document["program"] = traffic.program;
  document["regions"] = nlohmann::ordered_json::array();
  for (const RegionTraffic& region : traffic.regions) document["regions"].push_back(region_json(region));
  document["lines"] = nlohmann::ordered_json::array();
  for (const LineTraffic& line : traffic.lines)
    document["lines"].push_back({{"file", line.file},
                                 {"line", line.line},
                                 {"wsl_bytes", bytes(line.load_bytes)},
                                 {"wss_bytes", bytes(line.store_bytes)}});
  if (traffic.whole) {
    const ProgramLevels& whole = *traffic.whole;
    const auto number_or_null = [](const std::optional<double>& value) {
      return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
    };
    document["levels"] = nlohmann::ordered_json::array();
    for (const ProgramLevels::Level& level : whole.levels)
      document["levels"].push_back({{"level", level.level},
                                    {"bytes", bytes(level.bytes)},
                                    {"measured_bytes", number_or_null(level.measured_bytes)}});
    document["seconds"] = whole.seconds;
    document["measured_seconds"] = number_or_null(whole.measured_seconds);
    if (!whole.counters.empty()) document["counters"] = whole.counters;
  }
  document["legend"] = nlohmann::ordered_json::object();
  for (const auto& [name, meaning] : legend()) document["legend"][name] = meaning;
  return document;
}

nlohmann::ordered_json to_json(const ProgramTraffic& first, const ProgramTraffic& second,
                               const Comparison& comparison) {
  nlohmann::ordered_json document;
  document["first"] = to_json(first);
  document["second"] = to_json(second);
  document["regions"] = nlohmann::ordered_json::array();
  for (const RegionDifference& difference : comparison.regions) {
    nlohmann::ordered_json row;
    row["name"] = difference.name;
    const RegionTraffic none;
    const RegionTraffic& a = difference.first != nullptr ? *difference.first : none;
    const RegionTraffic& b = difference.second != nullptr ? *difference.second : none;
    row["first_wsl_bytes"] = bytes(a.load_bytes);
    row["second_wsl_bytes"] = bytes(b.load_bytes);
    row["wsl_difference_bytes"] = bytes(b.load_bytes - a.load_bytes);
    row["wss_difference_bytes"] = bytes(b.store_bytes - a.store_bytes);
    if (!a.levels.empty() || !b.levels.empty()) row["difference_s"] = b.seconds - a.seconds;
    document["regions"].push_back(std::move(row));
  }
  document["lines"] = nlohmann::ordered_json::array();
  for (const LineDifference& difference : comparison.lines) {
    nlohmann::ordered_json row;
    row["text"] = difference.text;
    if (difference.first != nullptr) row["first_line"] = difference.first->line;
    if (difference.second != nullptr) row["second_line"] = difference.second->line;
    row["wsl_difference_bytes"] = bytes((difference.second != nullptr ? difference.second->load_bytes : 0) -
                                        (difference.first != nullptr ? difference.first->load_bytes : 0));
    row["wss_difference_bytes"] = bytes((difference.second != nullptr ? difference.second->store_bytes : 0) -
                                        (difference.first != nullptr ? difference.first->store_bytes : 0));
    document["lines"].push_back(std::move(row));
  }
  return document;
}

std::string to_text(const ProgramTraffic& traffic, const base::Layout& page) {
  std::vector<std::string> head{"region", "lines", "calls", "SR", "WSL", "error", "WSS", "DGEMM", "sparse"};
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
      row.push_back(base::format_seconds(region.seconds));
      row.push_back(region.product_seconds > 0 ? base::format_seconds(region.product_seconds) : "–");
    }
    tree.add(std::move(row));
  }
  std::string text = tree.text(page);
  for (const RegionTraffic& region : traffic.regions) {
    text += '\n';
    text += analysis(region) + per_iteration(region);
  }
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

std::string to_text(const ProgramTraffic& first, const ProgramTraffic& second, const Comparison& comparison,
                    const base::Layout& page) {
  const bool machine = !first.regions.empty() && !first.regions[0].levels.empty();
  std::vector<std::string> head{"region", "WSL first", "WSL second", "change", "WSS first", "WSS second"};
  if (machine) head.insert(head.end(), {"time first", "time second"});
  base::TextTable regions(head);
  for (const RegionDifference& d : comparison.regions) {
    const RegionTraffic none;
    const RegionTraffic& a = d.first != nullptr ? *d.first : none;
    const RegionTraffic& b = d.second != nullptr ? *d.second : none;
    std::vector<std::string> row{
        d.name,
        side(a.load_bytes, d.first != nullptr),
        side(b.load_bytes, d.second != nullptr),
        a.load_bytes > 0 && d.second != nullptr ? base::format_percent(b.load_bytes / a.load_bytes - 1) : "–",
        side(a.store_bytes, d.first != nullptr),
        side(b.store_bytes, d.second != nullptr)};
    if (machine) row.insert(row.end(), {base::format_seconds(a.seconds), base::format_seconds(b.seconds)});
    regions.add(std::move(row));
  }
  std::string text = fmt::format("first:  {}\nsecond: {}\n\n", first.program, second.program) + regions.text(page);
  if (comparison.lines.empty()) return text + "\nNo line moves differently.\n";
  text += "\nLines that move differently:\n";
  base::TextTable lines({"first", "loaded", "stored", "second", "loaded", "stored", "line"});
  lines.words_last();
  for (const LineDifference& d : comparison.lines) {
    const LineTraffic none;
    const LineTraffic& a = d.first != nullptr ? *d.first : none;
    const LineTraffic& b = d.second != nullptr ? *d.second : none;
    lines.add({d.first != nullptr ? std::to_string(a.line) : "–", side(a.load_bytes, d.first != nullptr),
               side(a.store_bytes, d.first != nullptr), d.second != nullptr ? std::to_string(b.line) : "–",
               side(b.load_bytes, d.second != nullptr), side(b.store_bytes, d.second != nullptr), d.text});
  }
  return text + lines.text(page);
}

}  // namespace sparsecast::traffic
