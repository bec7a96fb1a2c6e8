#include "gpu_code/tuning_space.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <random>
#include <span>
#include <sparsecast/error.hpp>
#include <unordered_set>

#include "base/clock.hpp"
#include "base/median.hpp"
#include "base/parallel_for.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "gpu_code/model_errors.hpp"
#include "gpu_code/times/time_belief.hpp"

namespace sparsecast::gpu_code {
namespace {
constexpr int anchor_draws = 20;

/// The model to believe: the last that was asked for, which is overlapped where that was.
const RowEstimate& believed(const RowForecast& c) { return c.estimates.back(); }

/// Where nothing was measured, the interval is the launch's own, whatever other rows the table has.
RowCase own_case(const RowForecast& c, const KernelTimes& times) {
  const auto& e = believed(c);
  const auto usual = TimeBelief(times).interval(e.seconds, bound_by_memory(e.bound_by));
  return {c.row, c.measured_s, e.seconds, e.low_s.value_or(usual.low_s), e.high_s.value_or(usual.high_s)};
}

/// Moved by anchors; by how much its own interval is wider than a launch's usually is, it stays wider.
RowCase case_of(const RowForecast& c, const KernelTimes& times, const TimeBelief& belief) {
  const auto& e = believed(c);
  const bool by_memory = bound_by_memory(e.bound_by);
  const auto within = belief.interval(e.seconds, by_memory), usual = TimeBelief(times).interval(e.seconds, by_memory);
  const auto own = own_case(c, times);
  return {c.row, c.measured_s, e.seconds * belief.scale(by_memory), within.low_s * own.low_s / usual.low_s,
          within.high_s * own.high_s / usual.high_s};
}

double spread_of(const KernelTable& report) {
  std::vector<double> forecasts;
  for (const auto& c : report.configurations)
    if (!c.estimates.empty()) forecasts.push_back(believed(c).seconds);
  return forecast_spread(forecasts);
}

/// The rows moved by some of them with measured times, which are left out, and a summary of those that have one, too.
KernelTable anchored_by(const KernelTable& report, const KernelTimes& times, double spread,
                        const std::map<std::size_t, double>& anchors) {
  std::vector<AnchoredTime> known;
  for (const auto& [row, seconds] : anchors) {
    const auto& e = believed(report.configurations[row]);
    known.push_back({e.seconds, seconds, bound_by_memory(e.bound_by)});
  }
  const TimeBelief belief(times, spread, known);
  KernelTable out{.kernel = report.kernel, .device = report.device, .configurations = report.configurations};
  out.anchors = {anchors.size(), 0};
  std::vector<double> forecast, measured;
  for (std::size_t i = 0; i < report.configurations.size(); ++i) {
    if (anchors.contains(i)) continue;
    const auto& c = out.cases.emplace_back(case_of(report.configurations[i], times, belief));
    if (!c.measured_s) continue;
    forecast.push_back(c.seconds);
    measured.push_back(*c.measured_s);
  }
  if (!measured.empty())
    out.summary = {summarize(report.configurations.front().estimates.back().model, forecast, measured)};
  return out;
}

void add_to(ModelErrors& sum, const ModelErrors& one) {
  sum.model = one.model;
  sum.cases = one.cases;
  for (auto field :
       {&ModelErrors::mean_error, &ModelErrors::median_error, &ModelErrors::p90_error, &ModelErrors::max_error,
        &ModelErrors::rank_correlation, &ModelErrors::top1_regret, &ModelErrors::top5_regret})
    sum.*field += one.*field / anchor_draws;
}

bool names_row(const KernelAnchor& anchor, const TuningRow& row) {
  return !anchor.parameters.empty() && std::ranges::all_of(anchor.parameters, [&](const auto& p) {
    return std::ranges::find(row.defines, p.first + "=" + p.second) != row.defines.end();
  });
}

/// The one row that an anchor names.
std::size_t row_of(const KernelAnchor& anchor, const std::vector<TuningRow>& rows) {
  const auto is_named = [&](const auto& row) { return names_row(anchor, row); };
  const auto found = std::ranges::find_if(rows, is_named);
  const auto at =
      anchor.row > 0 ? static_cast<std::size_t>(anchor.row) - 1 : static_cast<std::size_t>(found - rows.begin());
  if (at >= rows.size())
    throw Error(ErrorCode::usage, wording::option("kernel.anchors") + ": the table has no such row", {},
                "rows count from 1");
  if (anchor.row > 0) return at;
  if (const auto next = std::find_if(found + 1, rows.end(), is_named); next != rows.end())
    throw Error(ErrorCode::usage,
                wording::format("{}: rows {} and {} of the table are such configurations",
                                wording::option("kernel.anchors"), at + 1, next - rows.begin() + 1),
                {}, "give more parameters, or the number of the row");
  return at;
}

/// Measured times by the rows' indices.
std::map<std::size_t, double> anchored_rows(const std::vector<KernelAnchor>& anchors,
                                            const std::vector<TuningRow>& rows) {
  std::map<std::size_t, double> known;
  for (const auto& anchor : anchors)
    if (const auto [at, fresh] = known.try_emplace(row_of(anchor, rows), anchor.seconds); !fresh)
      throw Error(ErrorCode::usage,
                  wording::format("{}: row {} is given twice", wording::option("kernel.anchors"), at->first + 1), {},
                  "give one time of it");
  return known;
}

KernelTable drawn_anchors(const KernelTable& report, const KernelTimes& times, double spread, int drawn) {
  std::vector<std::size_t> measured;
  for (std::size_t i = 0; i < report.configurations.size(); ++i)
    if (report.configurations[i].measured_s) measured.push_back(i);
  if (measured.size() < static_cast<std::size_t>(drawn) + 2)
    throw Error(
        ErrorCode::usage,
        wording::format("{}: the table has {} measured rows", wording::option("drawn_anchors", drawn), measured.size()),
        {}, "at least two more rows than anchors are needed");
  KernelTable out = report;
  std::map<std::int64_t, RowCase> cases;
  ModelErrors mean;
  std::mt19937_64 random(1);  // the same draws for the same table
  for (int draw = 0; draw < anchor_draws; ++draw) {
    std::ranges::shuffle(measured, random);
    std::map<std::size_t, double> anchors;
    for (const auto i : std::span(measured).first(static_cast<std::size_t>(drawn)))
      anchors[i] = *report.configurations[i].measured_s;
    const auto one = anchored_by(report, times, spread, anchors);
    add_to(mean, one.summary.front());
    for (const auto& c : one.cases) cases.try_emplace(c.row, c);
  }
  out.anchors = {static_cast<std::size_t>(drawn), anchor_draws};
  out.cases.clear();
  for (const auto& [row, c] : cases) out.cases.push_back(c);
  out.summary = {mean};
  return out;
}

/// How good the forecasts are: cases with their intervals, and a summary for every model.
void add_judgement(KernelTable& report, const KernelTimes& times) {
  for (const auto& c : report.configurations)
    if (!c.estimates.empty()) report.cases.push_back(own_case(c, times));
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
}  // namespace

KernelReport forecast_row(const std::filesystem::path& file, const TuningRow& row, const KernelTimes& times,
                          const AnalysisOptions& options, const Launch* shared,
                          const std::vector<std::pair<std::string, std::string>>& scalars) {
  const auto code = load_code(file, row.kernel, row.defines, times, false);
  Launch launch;
  if (shared) launch = *shared;
  launch.grid = row.grid;
  launch.block = row.block;
  for (const auto& [name, value] : row.arguments) launch.arguments.insert_or_assign(name, value);
  for (const auto& [name, bytes] : row.buffers) launch.buffers.insert_or_assign(name, bytes);
  for (const auto& [name, value] : scalars)
    if (std::ranges::find(code.parameter_names, name) != code.parameter_names.end())
      launch.arguments.try_emplace(name, value);
  return analyze_code(code, std::move(launch), times, options);
}

KernelTable forecast_tuning_space(const std::filesystem::path& file, const std::vector<TuningRow>& rows,
                                  const KernelTimes& times, const AnalysisOptions& options, int jobs,
                                  const base::ProgressFunction& progress, const Launch* shared) {
  KernelTable report{.kernel = rows.front().kernel, .device = times.name};
  report.configurations.resize(rows.size());
  std::size_t finished = 0;
  std::mutex lock;
  const double start = base::now_s();
  base::parallel_for(static_cast<std::int64_t>(rows.size()), {jobs, true}, [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    const auto& row = rows[i];
    try {
      auto& out = report.configurations[i];
      out = {index + 1, {}, row.seconds, row.defines};
      const auto report_of_row = forecast_row(file, row, times, options, shared);
      for (const auto& e : report_of_row.estimates)
        out.estimates.push_back({e.model, e.seconds.value(), e.low_s, e.high_s, e.bound_by});
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) throw;
      throw Error(error.code(),
                  wording::format("row {} of the table (line {}): {}", i + 1, row.line, error.reason_text()),
                  error.place(), error.remedy_text());
    }
    const std::lock_guard guard(lock);
    ++finished;
    if (!progress) return;
    const double done = static_cast<double>(finished) / static_cast<double>(rows.size());
    const double passed = base::now_s() - start;
    progress({done, passed * (1 - done) / done, fmt::format("configuration {} of {}", finished, rows.size())});
  });

  add_judgement(report, times);
  return report;
}

KernelTable anchored_report(const KernelTable& report, const std::vector<TuningRow>& rows, const KernelTimes& times,
                            const std::vector<KernelAnchor>& anchors, int drawn) {
  const double spread = spread_of(report);
  if (drawn > 0) return drawn_anchors(report, times, spread, drawn);
  return anchored_by(report, times, spread, anchored_rows(anchors, rows));
}
}  // namespace sparsecast::gpu_code
