#include "cluster/models/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sparsecast/error.hpp>

#include "base/text.hpp"

namespace sparsecast::cluster {

ClusterChoice choose(const std::vector<ClusterForecast>& all) {
  if (all.empty())
    throw Error(ErrorCode::failed, "no scheme can be forecast on these process counts", {},
                "2du needs a square number; g1dr and l1dr need METIS");
  std::vector<ClusterForecast> forecasts;
  for (const char* const model : {"sparsecast", "microbench", "svr", "linear"}) {
    std::ranges::copy_if(all, std::back_inserter(forecasts),
                         [&](const ClusterForecast& f) { return f.model == model; });
    if (!forecasts.empty()) break;
  }
  const auto by_time = [](const ClusterForecast& f) { return f.seconds; };
  ClusterChoice choice;
  choice.fastest = *std::ranges::min_element(forecasts, {}, by_time);
  std::vector<ClusterForecast> near;
  std::ranges::copy_if(forecasts, std::back_inserter(near),
                       [&](const ClusterForecast& f) { return f.seconds <= 1.1 * choice.fastest.seconds; });
  choice.recommended =
      *std::ranges::min_element(near, {}, [](const ClusterForecast& f) { return std::pair(f.processes, f.seconds); });

  const ClusterForecast& r = choice.recommended;
  const int fewest = std::ranges::min_element(forecasts, {}, &ClusterForecast::processes)->processes;
  double base = INFINITY;
  for (const ClusterForecast& f : forecasts)
    if (f.processes == fewest) base = std::min(base, f.seconds * fewest);
  std::map<std::pair<Scheme, int>, const ClusterForecast*> best;
  for (const ClusterForecast& f : forecasts) {
    auto& place = best[{f.scheme, f.processes}];
    if (place == nullptr || f.seconds < place->seconds) place = &f;
  }
  for (const auto& [key, f] : best)
    choice.scaling.push_back({f->scheme, f->format, f->processes, f->seconds, base / (f->seconds * f->processes)});

  const ClusterForecast* second = nullptr;
  for (const ClusterForecast& f : forecasts)
    if (f.processes == r.processes && f.scheme != r.scheme && (second == nullptr || f.seconds < second->seconds))
      second = &f;
  choice.reason =
      r.processes == choice.fastest.processes
          ? fmt::format("no other process count or scheme is forecast faster by {}", r.model)
          : fmt::format("fewest processes within 10 % of the fastest, {} on {} ({})", to_string(choice.fastest.scheme),
                        choice.fastest.processes, base::format_seconds(choice.fastest.seconds));
  if (second != nullptr)
    choice.reason += fmt::format("; on {} processes {} would take {:.2f} times as long", r.processes,
                                 to_string(second->scheme), second->seconds / r.seconds);
  if (r.communication_s > 0)
    choice.reason +=
        fmt::format("; {} of the time is communication", base::format_percent(r.communication_s / r.seconds));
  if (r.extrapolated)
    choice.reason += "; the profile was not calibrated on this process count, which is an extrapolation";
  return choice;
}

std::string scaling_picture(const std::vector<ScalingPoint>& scaling) {
  constexpr int width = 56, height = 14;
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
  std::vector<std::string> rows(height, std::string(width, ' '));
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
