#include "pages/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"

namespace sparsecast::pages {
namespace {

// "100 µs" instead of "100. µs" or "1.00 ms": an axis has round numbers only.
std::string round_label(double value, Unit unit) {
  std::string label = shown(value, unit);
  const std::size_t point = label.find('.');
  if (point == std::string::npos) return label;
  std::size_t end = point + 1;
  while (end < label.size() && label[end] >= '0' && label[end] <= '9') ++end;
  std::size_t keep = end;
  while (keep > point + 1 && label[keep - 1] == '0') --keep;
  if (keep == point + 1) keep = point;
  return label.erase(keep, end - keep);
}

std::vector<double> decades(double low, double high, std::span<const double> steps) {
  std::vector<double> values;
  for (double power = std::floor(std::log10(low)); power <= std::ceil(std::log10(high)); ++power)
    for (const double step : steps) {
      const double value = step * std::pow(10, power);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) values.push_back(value);
    }
  return values;
}

}  // namespace

std::string shown(double value, Unit unit) {
  switch (unit) {
    case Unit::seconds:
      return value == 0 ? "0 s" : base::format_seconds(value);
    case Unit::bytes:
      return base::format_bytes(value);
    case Unit::bytes_per_second:
      return base::format_bytes(value) + "/s";
    case Unit::gflops:
      return fmt::format("{:.{}f}", value, value < 0.1 ? 3 : value < 100 ? 2 : 0);
    case Unit::count:
      return std::abs(value) < 9e18 ? base::format_count(std::llround(value)) : fmt::format("{:g}", value);
    case Unit::share:
      return base::format_percent(value);
    case Unit::ratio:
      return fmt::format("{:.{}f} ×", value, value < 0.1 ? 3 : value < 100 ? 2 : 0);
    case Unit::plain:
      break;
  }
  return fmt::format("{:.4g}", value);
}

Scale Scale::logarithmic(std::span<const double> values, Unit unit) {
  double low = 0, high = 0;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) continue;
    low = low == 0 ? value : std::min(low, value);
    high = std::max(high, value);
  }
  if (low == 0) low = high = 1;
  constexpr double narrowest = 1.5;
  const double room = std::max(std::pow(high / low, 0.04), std::sqrt(std::max(1.0, narrowest / (high / low))));
  Scale scale = between(low / room, high * room, unit);
  scale.logarithmic_ = true;
  return scale;
}

Scale Scale::from_zero(std::span<const double> values, Unit unit) {
  double high = 0;
  for (const double value : values)
    if (std::isfinite(value)) high = std::max(high, value);
  return between(0, high > 0 ? high * 1.02 : 1, unit);
}

Scale Scale::between(double low, double high, Unit unit) {
  Scale scale;
  scale.low_ = low;
  scale.high_ = high > low ? high : low + 1;
  scale.unit_ = unit;
  return scale;
}

double Scale::at(double value) const {
  if (!logarithmic_) return std::clamp((value - low_) / (high_ - low_), 0.0, 1.0);
  if (!(value > 0)) return 0;
  return std::clamp(std::log(value / low_) / std::log(high_ / low_), 0.0, 1.0);
}

std::vector<Tick> Scale::ticks(int most) const {
  std::vector<double> values;
  if (logarithmic_) {
    // The densest choice of steps in a decade that has room.
    static constexpr std::array<double, 9> nine{1, 2, 3, 4, 5, 6, 7, 8, 9};
    static constexpr std::array<double, 5> five{1, 1.5, 2, 3, 5};
    static constexpr std::array<double, 3> three{1, 2, 5};
    static constexpr std::array<double, 1> one{1};
    const auto limit = static_cast<std::size_t>(most);
    values = decades(low_, high_, one);
    for (const std::span<const double> steps :
         {std::span<const double>(three), std::span<const double>(five), std::span<const double>(nine)}) {
      const std::vector<double> finer = decades(low_, high_, steps);
      if (finer.size() > values.size() && finer.size() <= limit) values = finer;
    }
    if (const std::size_t step = (values.size() + limit - 1) / limit; step > 1) {
      std::vector<double> fewer;
      for (std::size_t i = 0; i < values.size(); i += step) fewer.push_back(values[i]);
      values = fewer;
    }
  } else {
    const double rough = (high_ - low_) / most;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {5.0, 2.0, 1.0})
      if (factor * power >= rough) step = factor * power;
    for (double value = std::ceil(low_ / step) * step; value <= high_ * (1 + 1e-9); value += step)
      values.push_back(std::abs(value) < step / 1e6 ? 0 : value);
  }
  std::vector<Tick> ticks;
  for (const double value : values) ticks.push_back({value, round_label(value, unit_)});
  return ticks;
}

}  // namespace sparsecast::pages
