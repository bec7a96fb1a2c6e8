#include "gpu_code/times/anchors.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "base/number.hpp"
#include "base/text.hpp"

namespace sparsecast::gpu_code {
namespace {
/// Measured over forecast time: 90 % of a normal law of logarithms whose spread is that of boards (0.16) and that of
/// configurations around their board (0.18), both from measured tables of four boards. Of a board that was left out of
/// that 75 to 100 % of a table's rows lay within, 90 % of all (docs/results-kernel.md has them board by board).
struct Ratios {
  double low, high;
};
constexpr Ratios plain{0.68, 1.48};
constexpr Ratios anchored{0.73, 1.37};  // the same around one anchor at a time
constexpr Ratios unverified{0.4, 2.5};  // assumed: a family of which no measurement had a part in its tables
}  // namespace

ForecastInterval forecast_interval(const KernelTimes& times, double seconds, std::size_t anchors) {
  const auto& r = anchors > 0 ? anchored : times.verified ? plain : unverified;
  return {seconds * r.low, seconds * r.high};
}

namespace {
/// Standard deviations of logarithms: of a board's factor, and of what a configuration adds of its own, which is a
/// share of how much the forecasts differ (configurations that hardly differ are wrong alike). Chosen from measured
/// tables: boards' means lie off by 0.16, and around them the rows of seven tables by 0.33 to 0.57 of their forecasts'
/// spread (docs/results-kernel.md).
constexpr double board_spread = 0.16, own_share = 0.5, least_own = 0.02;

double log_scale(std::vector<double> logs, double spread) {
  if (logs.empty()) return 0;
  std::ranges::sort(logs);
  const auto n = logs.size();
  const double median = n % 2 == 1 ? logs[n / 2] : 0.5 * (logs[n / 2 - 1] + logs[n / 2]);
  const double told = static_cast<double>(n) * board_spread * board_spread, own = own_share * spread;
  return median * told / (told + own * own + least_own * least_own);
}

double within_reach(const KernelTimes& times, const AnchoredTime& a) {
  const double ratio = a.measured_s / a.forecast_s;
  if (a.by_memory) return std::clamp(ratio, 6.0 / 7, 1.5);
  const double clock = a.clock_hz > 0 ? a.clock_hz : times.clock_hz;
  const double slowest = times.base_clock_hz > 0 ? std::min(times.base_clock_hz, clock) : clock / 1.5;
  return std::clamp(ratio, clock / (1.25 * std::max(times.clock_hz, clock)), clock / (0.9 * slowest));
}

[[noreturn]] void refuse_anchor(const std::string& text) {
  throw Error(ErrorCode::usage, fmt::format("--anchor {}: no CONFIG=SECONDS", text), {},
              "a row of the table (12=0.0031), or parameters (block_size_x=32,tile_size_x=2=0.0031)");
}
}  // namespace

KernelAnchor parse_anchor(const std::string& text) {
  KernelAnchor anchor;
  const auto last = text.rfind('=');
  if (last == std::string::npos || last == 0) refuse_anchor(text);
  const auto seconds = base::number_in<double>(std::string_view(text).substr(last + 1));
  if (!seconds || !(*seconds > 0) || !std::isfinite(*seconds)) refuse_anchor(text);
  anchor.seconds = *seconds;
  const auto configuration = text.substr(0, last);
  if (configuration.find('=') == std::string::npos) {
    anchor.row = base::number_in<std::int64_t>(configuration).value_or(0);
    if (anchor.row < 1) refuse_anchor(text);
    return anchor;
  }
  for (const auto part : base::split(configuration, ',')) {
    const auto equal = part.find('=');
    if (equal == std::string_view::npos || equal == 0) refuse_anchor(text);
    anchor.parameters.emplace_back(part.substr(0, equal), part.substr(equal + 1));
  }
  return anchor;
}

bool bound_by_bandwidth(const std::string& bound_by) {
  return bound_by == "memory bandwidth" || bound_by == "second-level cache bandwidth";
}

double forecast_spread(const std::vector<double>& forecasts) {
  double sum = 0, squares = 0, count = 0;
  for (const double f : forecasts)
    if (f > 0) {
      sum += std::log(f);
      squares += std::log(f) * std::log(f);
      ++count;
    }
  return count > 0 ? std::sqrt(std::max(squares / count - sum / count * (sum / count), 0.0)) : 0;
}

AnchoredScale anchored_scale(const KernelTimes& times, const std::vector<AnchoredTime>& anchors, double spread) {
  std::vector<double> by_clock, by_bandwidth;
  for (const auto& a : anchors)
    if (a.forecast_s > 0 && a.measured_s > 0)
      (a.by_memory ? by_bandwidth : by_clock).push_back(std::log(within_reach(times, a)));
  AnchoredScale scale;
  scale.anchors = by_clock.size() + by_bandwidth.size();
  const double clock = log_scale(by_clock.empty() ? by_bandwidth : by_clock, spread);
  const double bandwidth = log_scale(by_bandwidth.empty() ? by_clock : by_bandwidth, spread);
  scale.clock = std::exp(clock);
  scale.bandwidth = std::exp(bandwidth);
  return scale;
}
}  // namespace sparsecast::gpu_code
