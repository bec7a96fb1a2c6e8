#include "cluster/models/scaling_picture.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "cluster/scheme/scheme.hpp"

namespace sparsecast::cluster {
std::string scaling_picture(const std::vector<ScalingPoint>& scaling, int height) {
  constexpr int width = 56;
  std::set<int> counts;
  double low = INFINITY, high = 0;
  for (const ScalingPoint& p : scaling) {
    counts.insert(p.processes);
    low = std::min(low, p.seconds);
    high = std::max(high, p.seconds);
  }
  if (counts.size() < 2 || !(high > low)) return {};
  const auto share = [](double value, double from, double to) {
    return (std::log(value) - std::log(from)) / (std::log(to) - std::log(from));
  };
  std::vector<std::string> rows(static_cast<std::size_t>(height), std::string(width, ' '));
  for (const ScalingPoint& p : scaling) {
    const auto column =
        static_cast<std::size_t>(std::lround(share(p.processes, *counts.begin(), *counts.rbegin()) * (width - 1)));
    const auto row = static_cast<std::size_t>(std::lround((1 - share(p.seconds, low, high)) * (height - 1)));
    char& mark = rows[row][column];
    mark = mark == ' ' ? to_string(p.scheme)[0] : '*';
  }
  std::string picture;
  for (int r = 0; r < height; ++r) {
    const std::string label = r == 0 ? base::format_seconds(high) : r == height - 1 ? base::format_seconds(low) : "";
    picture += fmt::format("{:>9} |{}\n", label, rows[static_cast<std::size_t>(r)]);
  }
  picture += fmt::format("{:>9} +{}\n{:>11}{}{:>{}} processes   2: 2du  g: g1dr  l: l1dr  *: several\n", "",
                         std::string(width, '-'), "", *counts.begin(), *counts.rbegin(),
                         width - static_cast<int>(std::to_string(*counts.begin()).size()));
  return picture;
}
}  // namespace sparsecast::cluster
