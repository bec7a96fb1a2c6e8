#include "base/nearest.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace sparsecast::base {
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
}  // namespace sparsecast::base
