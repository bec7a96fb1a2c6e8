#include "memory_traffic/report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace sparsecast::memory_traffic {
namespace {
std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

void compare_regions(TrafficComparison& result) {
  const std::vector<RegionTraffic>&first = result.first.regions, &second = result.second.regions;
  for (std::size_t k = 0; k < first.size(); ++k) result.regions.push_back({.name = first[k].name, .first = k});
  const bool single = first.size() == 1 && second.size() == 1;
  for (std::size_t k = 0; k < second.size(); ++k) {
    auto partner = std::ranges::find_if(
        result.regions, [&](const RegionDifference& d) { return !d.second && (d.name == second[k].name || single); });
    if (partner == result.regions.end()) {
      result.regions.push_back({.name = second[k].name, .second = k});
      continue;
    }
    if (partner->name != second[k].name) partner->name += " / " + second[k].name;
    partner->second = k;
  }
  const RegionTraffic none;
  for (RegionDifference& d : result.regions) {
    const RegionTraffic &a = d.first ? first[*d.first] : none, &b = d.second ? second[*d.second] : none;
    d.first_bytes = a.load_bytes;
    d.second_bytes = b.load_bytes;
    d.load_difference = b.load_bytes - a.load_bytes;
    d.store_difference = b.store_bytes - a.store_bytes;
    if (a.seconds || b.seconds) d.difference_s = b.seconds.value_or(0) - a.seconds.value_or(0);
  }
}

// Lines with the same text belong together, the first of one with the first of the other.
void compare_lines(TrafficComparison& result) {
  const std::vector<LineTraffic>&first = result.first.lines, &second = result.second.lines;
  std::multimap<std::string, std::size_t> waiting;
  for (std::size_t k = 0; k < first.size(); ++k) {
    waiting.emplace(trimmed(first[k].text), result.lines.size());
    result.lines.push_back({.text = trimmed(first[k].text), .first_line = first[k].line, .first = k});
  }
  for (std::size_t k = 0; k < second.size(); ++k) {
    const auto partner = waiting.find(trimmed(second[k].text));
    LineDifference& line = partner == waiting.end() ? result.lines.emplace_back() : result.lines[partner->second];
    if (partner == waiting.end())
      line.text = trimmed(second[k].text);
    else
      waiting.erase(partner);
    line.second_line = second[k].line;
    line.second = k;
  }
  const LineTraffic none;
  for (LineDifference& d : result.lines) {
    const LineTraffic &a = d.first ? first[*d.first] : none, &b = d.second ? second[*d.second] : none;
    d.load_difference = b.load_bytes - a.load_bytes;
    d.store_difference = b.store_bytes - a.store_bytes;
  }
  std::erase_if(result.lines, [](const LineDifference& d) {
    return d.first && d.second && d.load_difference == 0 && d.store_difference == 0;
  });
  std::ranges::stable_sort(result.lines, std::ranges::greater(),
                           [](const LineDifference& d) { return std::abs(d.load_difference + d.store_difference); });
}
}  // namespace

TrafficComparison compare(ProgramTraffic first, ProgramTraffic second) {
  TrafficComparison result{.first = std::move(first), .second = std::move(second)};
  compare_regions(result);
  compare_lines(result);
  return result;
}
}  // namespace sparsecast::memory_traffic
