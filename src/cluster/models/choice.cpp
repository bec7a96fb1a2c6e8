#include "cluster/models/choice.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "cluster/scheme/scheme.hpp"

namespace sparsecast::cluster {
namespace {
std::string in_words(const ClusterForecast& from, const ClusterForecast& to) {
  return fmt::format("from {} to {} processes, products go from {} to {} and messages from {} to {}", from.processes,
                     to.processes, base::format_seconds(from.core_s), base::format_seconds(to.core_s),
                     base::format_seconds(from.communication_s), base::format_seconds(to.communication_s));
}

// Why more processes do not help: as documents name it, and in words.
struct EndReason {
  const char *name, *text;
};
constexpr EndReason products_end{"products", "the slowest process's share does not shrink"},
    latency_end{"latency", "the latency of messages"}, messages_end{"messages", "messages"};

// `best` by count; `last` is the place of the recommended count.
ScalingEnd end_of(const std::vector<ClusterForecast>& best, std::size_t last) {
  const ClusterForecast& here = best[last];
  ScalingEnd end{here.processes, here.nodes, last + 1 < best.size(), {}, {}};
  if (!end.seen) {
    if (best.size() > 1) end.text = fmt::format("scaling does not end below {} processes", here.processes);
    return end;
  }
  const ClusterForecast& next = best[last + 1];
  end.text = fmt::format("scaling ends at {} process{}", here.processes, here.processes == 1 ? "" : "es");
  if (next.core_s + next.communication_s <= 0) return end;
  // Both ought to shrink as the processes grow: what is farther from that is in the way.
  const double fewer = static_cast<double>(here.processes) / next.processes;
  const bool messages = next.communication_s - here.communication_s * fewer > next.core_s - here.core_s * fewer;
  const EndReason& reason = !messages                                     ? products_end
                            : next.latency_s > 0.5 * next.communication_s ? latency_end
                                                                          : messages_end;
  end.reason = reason.name;
  end.text += fmt::format(": {} ({})", reason.text, in_words(here, next));
  return end;
}

// Time and efficiency of every count, those that are extrapolated among them and marked.
std::vector<ScalingPoint> scaling_of(const std::vector<ClusterForecast>& forecasts) {
  const int fewest = std::ranges::min_element(forecasts, {}, &ClusterForecast::processes)->processes;
  double base = INFINITY;
  for (const ClusterForecast& f : forecasts)
    if (f.processes == fewest) base = std::min(base, f.seconds * fewest);
  std::map<std::pair<Scheme, int>, const ClusterForecast*> best;
  for (const ClusterForecast& f : forecasts) {
    auto& place = best[{f.scheme, f.processes}];
    if (place == nullptr || f.seconds < place->seconds) place = &f;
  }
  std::vector<ScalingPoint> scaling;
  for (const auto& [key, f] : best)
    scaling.push_back({f->scheme, f->format, f->processes, f->seconds, base / (f->seconds * f->processes), f->nodes,
                       f->extrapolated});
  return scaling;
}

constexpr std::string_view described_model = "described";

// One line: beside which others, and what is not sure of it.
std::string reason_of(const ClusterChoice& choice, const std::vector<ClusterForecast>& forecasts,
                      const std::vector<ClusterForecast>& sure) {
  const ClusterForecast &r = choice.recommended, &fastest = choice.fastest;
  std::string reason =
      r.processes == fastest.processes
          ? fmt::format("no other {}process count or scheme is forecast faster by {}",
                        sure.size() < forecasts.size() && r.model != described_model ? "calibrated " : "", r.model)
          : fmt::format("fewest processes within 10 % of the fastest, {} on {} ({})", to_string(fastest.scheme),
                        fastest.processes, base::format_seconds(fastest.seconds));
  const ClusterForecast* second = nullptr;
  for (const ClusterForecast& f : sure)
    if (f.processes == r.processes && f.scheme != r.scheme && (second == nullptr || f.seconds < second->seconds))
      second = &f;
  if (second != nullptr)
    reason += fmt::format("; on {} process{} {} would take {:.2f} times as long", r.processes,
                          r.processes == 1 ? "" : "es", to_string(second->scheme), second->seconds / r.seconds);
  if (r.communication_s > 0)
    reason += fmt::format("; {} of the time is communication", base::format_percent(r.communication_s / r.seconds));
  // Of a cluster that is only described nothing was calibrated: what is not known is a core's share of the memory.
  const bool described = r.model == described_model;
  if (r.extrapolated)
    return reason + (described ? "; extrapolated: what so few ranks draw of a node's memory is not known"
                               : "; extrapolated: the profile was not calibrated on this process count");
  const ClusterForecast& beyond = *std::ranges::min_element(forecasts, {}, &ClusterForecast::seconds);
  if (beyond.extrapolated)
    reason += fmt::format("; {} processes, {}, are forecast to take {} to {}", beyond.processes,
                          described ? "of which it is not known what they draw of a node's memory"
                                    : "on which the profile was not calibrated",
                          base::format_seconds(beyond.low_s), base::format_seconds(beyond.high_s));
  return reason;
}
}  // namespace

std::vector<ClusterForecast> of_first_model(const std::vector<ClusterForecast>& all) {
  std::vector<ClusterForecast> forecasts;
  for (const char* const model : {"sparsecast", "described", "microbench", "svr", "linear"}) {
    std::ranges::copy_if(all, std::back_inserter(forecasts),
                         [&](const ClusterForecast& f) { return f.model == model; });
    if (!forecasts.empty()) break;
  }
  return forecasts;
}

std::vector<ClusterForecast> believed(const std::vector<ClusterForecast>& forecasts) {
  std::vector<ClusterForecast> out;
  std::ranges::copy_if(forecasts, std::back_inserter(out), [](const ClusterForecast& f) { return !f.extrapolated; });
  return out.empty() ? forecasts : out;
}

std::vector<ClusterForecast> best_by_count(const std::vector<ClusterForecast>& forecasts) {
  std::map<int, ClusterForecast> best;
  for (const ClusterForecast& f : forecasts)
    if (const auto [place, made] = best.try_emplace(f.processes, f); !made && f.seconds < place->second.seconds)
      place->second = f;
  std::vector<ClusterForecast> out;
  for (auto& [count, f] : best) out.push_back(std::move(f));
  return out;
}

double node_hours(const ClusterForecast& f, double iterations) { return f.nodes * f.seconds * iterations / 3600; }

std::optional<ClusterForecast> done_within(const std::vector<ClusterForecast>& forecasts, double seconds,
                                           double iterations) {
  std::optional<ClusterForecast> found;
  const auto key = [](const ClusterForecast& f) { return std::tuple(f.nodes, f.processes, f.seconds); };
  for (const ClusterForecast& f : believed(forecasts))
    if (f.seconds * iterations <= seconds && (!found || key(f) < key(*found))) found = f;
  return found;
}

ClusterChoice choose(const std::vector<ClusterForecast>& all) {
  if (all.empty())
    throw Error(ErrorCode::failed, "no scheme can be forecast on these process counts", {},
                "2du needs a process count that is a product of two numbers of at least 2; g1dr and l1dr need METIS; "
                "messages need a calibration on two or more processes");
  const std::vector<ClusterForecast> forecasts = of_first_model(all), sure = believed(forecasts);
  ClusterChoice choice;
  choice.fastest = *std::ranges::min_element(sure, {}, &ClusterForecast::seconds);
  std::vector<ClusterForecast> near;
  std::ranges::copy_if(sure, std::back_inserter(near), [&](const ClusterForecast& f) {
    return f.seconds <= (1 + constants::worthwhile) * choice.fastest.seconds;
  });
  choice.recommended =
      *std::ranges::min_element(near, {}, [](const ClusterForecast& f) { return std::pair(f.processes, f.seconds); });
  choice.scaling = scaling_of(forecasts);
  const std::vector<ClusterForecast> by_count = best_by_count(sure);
  const auto here = std::ranges::find(by_count, choice.recommended.processes, &ClusterForecast::processes);
  choice.end = end_of(by_count, static_cast<std::size_t>(here - by_count.begin()));
  choice.reason = reason_of(choice, forecasts, sure);
  return choice;
}
}  // namespace sparsecast::cluster
