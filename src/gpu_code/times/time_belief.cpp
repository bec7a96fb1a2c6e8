#include "gpu_code/times/time_belief.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>

#include "base/median.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"

namespace sparsecast::gpu_code {
namespace {
// Of logarithms of measured over forecast times, in the tables of four boards (docs/results-kernel.md has what comes of
// them with each board left out). A board lies off by some spread, and around it a configuration by a share of how much
// the forecasts of its space differ: configurations that hardly differ are wrong alike.
constexpr double board_spread = 0.1, own_share = 0.45, least_own = 0.02;
constexpr double own_of_a_launch = 0.3;  ///< of a launch: 88 and 96 % of two tables' rows are inside (0.2: 71 and 92 %)
constexpr double foreign_spread = 0.3;   ///< of boards by another architecture's instruction times
constexpr double unverified_spread = 0.2;      ///< assumed: a family of which no measurement had a part in its tables
constexpr double base_prior = 0.25;            ///< that it ran at the base clock: two tables of six did
constexpr double usual_base_over_boost = 0.8;  ///< where the data sheet's base clock is not known

[[noreturn]] void refuse_anchor(const std::string& text) {
  throw Error(ErrorCode::usage, wording::format("{} {}: not CONFIG=SECONDS", wording::option("kernel.anchors"), text),
              {}, "give a row of the table (12=0.0031), or parameters (block_size_x=32,tile_size_x=2=0.0031)");
}

/// Times in another unit, or of another device, would move every forecast as far, and each would look as sure.
void require_alike(const std::vector<AnchoredTime>& anchors) {
  std::vector<double> ratios;
  for (const auto& a : anchors)
    if (a.forecast_s > 0 && a.measured_s > 0) ratios.push_back(a.measured_s / a.forecast_s);
  if (ratios.empty()) return;
  const double ratio = base::median(ratios);
  if (ratio <= constants::anchors_apart && ratio * constants::anchors_apart >= 1) return;
  throw Error(ErrorCode::bad_input,
              fmt::format("the measured configurations take {:.2g} times as long as forecast", ratio), {},
              "check the unit, which is seconds, and the device");
}
}  // namespace

TimeBelief::TimeBelief(const KernelTimes& times, std::optional<double> spread,
                       const std::vector<AnchoredTime>& anchors) {
  require_alike(anchors);
  const double own = spread ? std::max(own_share * *spread, least_own) : own_of_a_launch, own2 = own * own;
  const double board = !times.borrowed_from.empty() ? foreign_spread
                       : times.verified             ? board_spread
                                                    : unverified_spread;
  states_ = {{.slower = 0, .weight = 1 - base_prior}, {.slower = 0, .weight = base_prior}};
  const double base = times.base_clock_hz > 0 ? times.base_clock_hz / times.clock_hz : usual_base_over_boost;
  if (times.clock_is_known || !times.processor.empty())
    states_.pop_back();
  else
    states_.back().slower = -std::log(std::min(base, 1.0));
  const auto is_known = [](const AnchoredTime& a) { return a.forecast_s > 0 && a.measured_s > 0; };
  const auto n = static_cast<double>(std::ranges::count_if(anchors, is_known));
  double sum = 0;
  for (State& s : states_) {
    const double told = n * board * board;
    if (n > 0) {
      std::vector<double> off;
      for (const auto& a : anchors)
        if (is_known(a)) off.push_back(std::log(a.measured_s / a.forecast_s) - (a.by_memory ? 0 : s.slower));
      const double middle = base::median(off);
      s.offset = middle * told / (told + own2);
      s.weight *= std::exp(-0.5 * middle * middle / (board * board + own2 / n));
    }
    s.deviation = std::sqrt(own2 + board * board * own2 / (told + own2));
    sum += s.weight;
  }
  // Of anchors that no clock explains nothing is learned: either may have run.
  for (State& s : states_) s.weight = sum > 0 ? s.weight / sum : 1 / static_cast<double>(states_.size());
}

double TimeBelief::scale(bool by_memory) const {
  const State& likeliest = *std::ranges::max_element(states_, {}, &State::weight);
  return std::exp(likeliest.offset + (by_memory ? 0 : likeliest.slower));
}

double TimeBelief::quantile(double share, bool by_memory) const {
  double low = -10, high = 10;
  while (high - low > 1e-6) {
    const double middle = 0.5 * (low + high);
    double below = 0;
    for (const State& s : states_) {
      const double at = middle - s.offset - (by_memory ? 0 : s.slower);
      below += s.weight * 0.5 * std::erfc(-at / (s.deviation * std::numbers::sqrt2));
    }
    (below < share ? low : high) = middle;
  }
  return std::exp(high);
}

ForecastInterval TimeBelief::interval(double forecast_s, bool by_memory) const {
  return {forecast_s * quantile(0.05, by_memory), forecast_s * quantile(0.95, by_memory)};
}

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

bool bound_by_memory(const std::string& bound_by) { return bound_by == "memory bandwidth"; }

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
}  // namespace sparsecast::gpu_code
