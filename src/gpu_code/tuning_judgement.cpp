// See tuning_judgement.hpp; the report moved by anchors is tuning_space.hpp's.

#include "gpu_code/tuning_judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <sparsecast/error.hpp>

#include "gpu_code/times/forecast_interval.hpp"

namespace sparsecast::gpu_code {
namespace {

constexpr int anchor_draws = 20;

/// The model to believe: the last that was asked for, which is overlapped where that was.
const KernelEstimate& believed(const ConfigurationForecast& c) { return c.estimates.back(); }

TuningCase case_of(const ConfigurationForecast& c, const KernelTimes& times, const AnchoredScale& scale) {
  TuningCase out;
  out.row = c.row;
  out.measured_s = c.measured_s;
  const auto& e = believed(c);
  out.seconds = e.seconds * scale.of(bound_by_bandwidth(e.bound_by));
  const auto within = forecast_interval(times, out.seconds, scale.anchors);
  out.low_s = within.low_s;
  out.high_s = within.high_s;
  return out;
}

AnchoredTime anchored_time(const ConfigurationForecast& c, double measured_s) {
  const auto& e = believed(c);
  return {e.seconds, measured_s, bound_by_bandwidth(e.bound_by), e.seconds > 0 ? e.cycles / e.seconds : 0};
}

double spread_of(const TuningReport& report) {
  std::vector<double> forecasts;
  for (const auto& c : report.configurations) forecasts.push_back(believed(c).seconds);
  return forecast_spread(forecasts);
}

/// Summary of the rows that are no anchors.
TuningSummary judged(const TuningReport& report, const AnchoredScale& scale, const std::vector<std::size_t>& anchors) {
  std::vector<double> forecast, measured;
  for (std::size_t i = 0; i < report.configurations.size(); ++i) {
    const auto& c = report.configurations[i];
    if (!c.measured_s || std::ranges::find(anchors, i) != anchors.end()) continue;
    const auto& e = believed(c);
    forecast.push_back(e.seconds * scale.of(bound_by_bandwidth(e.bound_by)));
    measured.push_back(*c.measured_s);
  }
  return summarize(report.configurations.front().estimates.back().model, forecast, measured);
}

void add_to(TuningSummary& sum, const TuningSummary& one) {
  const auto put = [&](double TuningSummary::*field) { sum.*field += one.*field / anchor_draws; };
  sum.model = one.model;
  sum.cases = one.cases;
  put(&TuningSummary::mean_error);
  put(&TuningSummary::median_error);
  put(&TuningSummary::p90_error);
  put(&TuningSummary::max_error);
  put(&TuningSummary::rank_correlation);
  put(&TuningSummary::top1_regret);
  put(&TuningSummary::top5_regret);
}

bool names_row(const Anchor& anchor, const TuningRow& row) {
  return !anchor.parameters.empty() && std::ranges::all_of(anchor.parameters, [&](const auto& p) {
    return std::ranges::find(row.defines, p.first + "=" + p.second) != row.defines.end();
  });
}

TuningReport anchored_by(const TuningReport& report, const std::vector<TuningRow>& rows, const KernelTimes& times,
                         const std::vector<Anchor>& anchors) {
  std::vector<AnchoredTime> known;
  std::vector<std::size_t> used;
  for (const auto& anchor : anchors) {
    std::size_t at = rows.size();
    if (anchor.row > 0) {
      at = static_cast<std::size_t>(anchor.row) - 1;
    } else {
      const auto found = std::ranges::find_if(rows, [&](const auto& row) { return names_row(anchor, row); });
      at = static_cast<std::size_t>(found - rows.begin());
    }
    if (at >= rows.size())
      throw Error(ErrorCode::usage, "--anchor: the table has no such row", {}, "rows count from 1");
    used.push_back(at);
    known.push_back(anchored_time(report.configurations[at], anchor.seconds));
  }
  const auto scale = anchored_scale(times, known, spread_of(report));
  TuningReport out = report;
  out.anchors = anchors.size();
  out.cases.clear();
  out.summary.clear();
  for (std::size_t i = 0; i < report.configurations.size(); ++i)
    if (std::ranges::find(used, i) == used.end()) out.cases.push_back(case_of(report.configurations[i], times, scale));
  if (auto summary = judged(report, scale, used); summary.cases > 0) out.summary.push_back(std::move(summary));
  return out;
}

TuningReport drawn_anchors(const TuningReport& report, const KernelTimes& times, int drawn) {
  std::vector<std::size_t> measured;
  for (std::size_t i = 0; i < report.configurations.size(); ++i)
    if (report.configurations[i].measured_s) measured.push_back(i);
  if (measured.size() < static_cast<std::size_t>(drawn) + 2)
    throw Error(ErrorCode::usage, fmt::format("--anchors {}: the table has {} measured rows", drawn, measured.size()),
                {}, "two more than anchors are needed");
  TuningReport out = report;
  out.anchors = static_cast<std::size_t>(drawn);
  out.draws = anchor_draws;
  out.cases.assign(report.configurations.size(), {});
  TuningSummary mean;
  const double spread = spread_of(report);
  std::mt19937_64 random(1);  // the same draws for the same table
  for (int draw = 0; draw < anchor_draws; ++draw) {
    std::ranges::shuffle(measured, random);
    const std::vector<std::size_t> anchors(measured.begin(), measured.begin() + drawn);
    std::vector<AnchoredTime> known;
    for (const auto i : anchors)
      known.push_back(anchored_time(report.configurations[i], *report.configurations[i].measured_s));
    const auto scale = anchored_scale(times, known, spread);
    add_to(mean, judged(report, scale, anchors));
    for (std::size_t i = 0; i < out.cases.size(); ++i)
      if (out.cases[i].row == 0 && std::ranges::find(anchors, i) == anchors.end())
        out.cases[i] = case_of(report.configurations[i], times, scale);
  }
  std::erase_if(out.cases, [](const auto& c) { return c.row == 0; });
  out.summary = {mean};
  return out;
}

}  // namespace

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto ranks = [](const std::vector<double>& v) {
    std::vector<std::size_t> order(v.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](auto i, auto j) { return v[i] < v[j]; });
    std::vector<double> rank(v.size());
    for (std::size_t i = 0; i < order.size();) {
      std::size_t j = i;
      while (j < order.size() && v[order[j]] == v[order[i]]) ++j;
      for (std::size_t k = i; k < j; ++k) rank[order[k]] = 0.5 * static_cast<double>(i + j - 1);
      i = j;
    }
    return rank;
  };
  const auto x = ranks(a), y = ranks(b);
  const double mean = 0.5 * (static_cast<double>(x.size()) - 1);
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

TuningSummary summarize(const std::string& model, const std::vector<double>& forecast,
                        const std::vector<double>& measured) {
  TuningSummary s;
  s.model = model;
  s.cases = static_cast<std::int64_t>(forecast.size());
  if (forecast.empty()) return s;
  std::vector<double> errors;
  for (std::size_t i = 0; i < forecast.size(); ++i)
    errors.push_back(std::fabs(forecast[i] - measured[i]) / measured[i]);
  std::sort(errors.begin(), errors.end());
  s.mean_error = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  const auto quantile = [&](double q) {
    return errors[static_cast<std::size_t>(std::lround(q * static_cast<double>(errors.size() - 1)))];
  };
  s.median_error = quantile(0.5);
  s.p90_error = quantile(0.9);
  s.max_error = errors.back();
  s.rank_correlation = rank_correlation(forecast, measured);
  std::vector<std::size_t> order(forecast.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return forecast[i] < forecast[j]; });
  const double best = *std::min_element(measured.begin(), measured.end());
  s.top1_regret = measured[order[0]] / best - 1;
  double of_five = measured[order[0]];
  for (std::size_t i = 1; i < std::min<std::size_t>(5, order.size()); ++i)
    of_five = std::min(of_five, measured[order[i]]);
  s.top5_regret = of_five / best - 1;
  return s;
}

void add_judgement(TuningReport& report, const KernelTimes& times) {
  for (const auto& c : report.configurations)
    if (!c.estimates.empty()) report.cases.push_back(case_of(c, times, {}));
  for (const auto& model : kernel_models()) {
    std::vector<double> forecast, measured;
    for (const auto& c : report.configurations)
      for (const auto& e : c.estimates)
        if (e.model == model && c.measured_s) {
          forecast.push_back(e.seconds);
          measured.push_back(*c.measured_s);
        }
    if (!forecast.empty()) report.summary.push_back(summarize(model, forecast, measured));
  }
}

TuningReport anchored_report(const TuningReport& report, const std::vector<TuningRow>& rows, const KernelTimes& times,
                             const std::vector<Anchor>& anchors, int drawn) {
  return drawn > 0 ? drawn_anchors(report, times, drawn) : anchored_by(report, rows, times, anchors);
}

}  // namespace sparsecast::gpu_code
