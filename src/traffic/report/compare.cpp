#include "traffic/report/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace sparsecast::traffic {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

double moved(const LineTraffic* line) { return line == nullptr ? 0 : line->load_bytes + line->store_bytes; }

}  // namespace

Comparison compare(const ProgramTraffic& first, const ProgramTraffic& second) {
  Comparison result;
  for (const RegionTraffic& region : first.regions) result.regions.push_back({region.name, &region, nullptr});
  const bool single = first.regions.size() == 1 && second.regions.size() == 1;
  for (const RegionTraffic& region : second.regions) {
    auto partner = std::find_if(result.regions.begin(), result.regions.end(), [&](const RegionDifference& d) {
      return d.second == nullptr && (d.name == region.name || single);
    });
    if (partner == result.regions.end()) {
      result.regions.push_back({region.name, nullptr, &region});
      continue;
    }
    if (partner->name != region.name) partner->name += " / " + region.name;
    partner->second = &region;
  }
  // Lines with the same text belong together, the first of one with the first of the other.
  std::multimap<std::string, std::size_t> waiting;
  for (const LineTraffic& line : first.lines) {
    waiting.emplace(trimmed(line.text), result.lines.size());
    result.lines.push_back({trimmed(line.text), &line, nullptr});
  }
  for (const LineTraffic& line : second.lines) {
    const auto partner = waiting.find(trimmed(line.text));
    if (partner == waiting.end()) {
      result.lines.push_back({trimmed(line.text), nullptr, &line});
    } else {
      result.lines[partner->second].second = &line;
      waiting.erase(partner);
    }
  }
  std::erase_if(result.lines, [](const LineDifference& d) {
    return d.first != nullptr && d.second != nullptr && d.first->load_bytes == d.second->load_bytes &&
           d.first->store_bytes == d.second->store_bytes;
  });
  std::stable_sort(result.lines.begin(), result.lines.end(), [](const LineDifference& a, const LineDifference& b) {
    return std::abs(moved(a.first) - moved(a.second)) > std::abs(moved(b.first) - moved(b.second));
  });
  return result;
}

}  // namespace sparsecast::traffic
