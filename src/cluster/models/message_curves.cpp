#include "cluster/models/message_curves.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sparsecast_constants.hpp>

#include "cluster/models/pattern_growth.hpp"

namespace sparsecast::cluster {
double along_curve(const std::vector<std::pair<double, double>>& points, double x, double steepest) {
  if (points.empty()) return 0;
  if (points.size() == 1) return points[0].second;
  auto above = std::ranges::lower_bound(points, x, {}, &std::pair<double, double>::first);
  if (above == points.begin()) return points[0].second;  // smaller messages cost the same latency
  const bool beyond = above == points.end();
  if (beyond) --above;
  const auto below = std::prev(above);
  const double slope = std::log(above->second / below->second) / std::log(above->first / below->first);
  if (beyond) return above->second * std::pow(x / above->first, std::clamp(slope, 0.0, steepest));
  return below->second * std::pow(x / below->first, slope);
}

namespace {
using Points = std::vector<std::pair<double, double>>;

void put_in_order(Points& points) {
  std::ranges::sort(points);
  // Equal sizes (tiny gathers are rounded up to one entry per rank) would make an infinite slope.
  points.erase(
      std::unique(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
      points.end());
}

// Where MPI turns to another algorithm the time jumps, between two sizes that a calibration brings as near as it can.
// Such thresholds are powers of two in most libraries: a jump with one between its sizes is taken to be at it, and
// moves by a tenth of its size at most where it is not. Looked at: docs/results-cluster.md.
void put_jumps_at_powers_of_two(Points& points) {
  constexpr double near = 1 + constants::worthwhile, jump = 1 + 2 * constants::worthwhile;
  Points jumps;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto [below, below_s] = points[i - 1];
    const auto [above, above_s] = points[i];
    const double power = std::exp2(std::floor(std::log2(above)));
    if (above > near * below || std::max(below_s / above_s, above_s / below_s) < jump) continue;
    if (below < power - 1 && power < above) jumps.insert(jumps.end(), {{power - 1, below_s}, {power, above_s}});
  }
  points.insert(points.end(), jumps.begin(), jumps.end());
  std::ranges::sort(points);
}

// Beyond the sizes that one state was met with, what the other takes, times what the nearest size that was met takes
// over it; all of the other's where none was met.
void lengthen(Points& points, const Points& other) {
  if (points.empty()) {
    points = other;
    return;
  }
  const auto [least, least_s] = points.front();
  const auto [most, most_s] = points.back();
  const double below = least_s / along_curve(other, least), above = most_s / along_curve(other, most);
  for (const auto& [bytes, seconds] : other) {
    if (bytes < least) points.emplace_back(bytes, seconds * below);
    if (bytes > most) points.emplace_back(bytes, seconds * above);
  }
  std::ranges::sort(points);
}
}  // namespace

MessageCurves::MessageCurves(const ClusterProfile& profile) : MessageCurves(profile, CacheStates({}), 0) {}

MessageCurves::MessageCurves(const ClusterProfile& profile, const CacheStates& states, double handover_s) {
  std::map<MessagePattern, std::map<int, Points>> others;
  for (const MessageTime& m : profile.messages)
    if (m.pattern != MessagePattern::halo && m.seconds > 0)
      (states.alike(m.handover_s, handover_s) ? curves_ : others)[m.pattern][m.processes].emplace_back(m.bytes,
                                                                                                       m.seconds);
  for (auto& [pattern, by_count] : curves_)
    for (auto& [count, points] : by_count) put_in_order(points);
  for (auto& [pattern, by_count] : others)
    for (auto& [count, points] : by_count) {
      put_in_order(points);
      lengthen(curves_[pattern][count], points);
    }
  for (auto& [pattern, by_count] : curves_)
    for (auto& [count, points] : by_count) put_jumps_at_powers_of_two(points);
}

std::optional<double> MessageCurves::seconds(MessagePattern pattern, int processes, double bytes) const {
  const auto found = curves_.find(pattern);
  if (found == curves_.end()) return std::nullopt;
  // What one process "sends" are copies within it: they say nothing of messages, nor messages of them.
  Points over_counts;
  for (const auto& [count, points] : found->second)
    if ((count > 1) == (processes > 1)) over_counts.emplace_back(count, along_curve(points, bytes));
  if (over_counts.empty()) return std::nullopt;
  // Beyond the counts as they grew up to there, in proportion to the processes at most, and by the pattern's steps at
  // least.
  const auto& [most, at_most] = over_counts.back();
  if (processes <= most) return along_curve(over_counts, processes);
  return std::max(along_curve(over_counts, processes, 1), at_most * pattern_growth(pattern, most, processes));
}

std::vector<int> MessageCurves::counts(MessagePattern pattern) const {
  std::vector<int> out;
  if (const auto found = curves_.find(pattern); found != curves_.end())
    for (const auto& [count, points] : found->second) out.push_back(count);
  return out;
}
}  // namespace sparsecast::cluster
