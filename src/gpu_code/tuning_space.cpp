#include "fields/wording.hpp"
#include "gpu_code/kernel_analysis.hpp"

#include <fmt/format.h>
#include <cmath>
#include <mutex>
#include <numeric>
#include <random>
#include <sstream>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/number.hpp"
#include "base/parallel_for.hpp"
#include "base/text.hpp"
#include "gpu_code/compile/source_parameters.hpp"

namespace sparsecast::gpu_code {
Dim3 parse_dimensions(const std::string& text, const std::string& option) {
  Dim3 dim{1, 1, 1};
  std::size_t d = 0;
  const char *at = text.data(), *end = text.data() + text.size();
  while (d < 3) {
    const auto [stop, error] = std::from_chars(at, end, dim[d]);
    if (error != std::errc() || dim[d] < 1) break;
    ++d;
    at = stop;
    if (at == end) return dim;
    if (*at != 'x' && *at != ',') break;
    ++at;
  }
  throw Error(ErrorCode::usage, fmt::format("{} {}: not a size", option, text), {},
              "give X, XxY or XxYxZ, each 1 or more");
}

std::pair<std::string, std::string> parse_assignment(const std::string& text, const std::string& option) {
  const auto equal = text.find('=');
  if (equal == std::string::npos || equal == 0)
    throw Error(ErrorCode::usage, fmt::format("{} {}: no NAME=VALUE", option, text), {},
                fmt::format("for example {} n=1000", option));
  return {text.substr(0, equal), text.substr(equal + 1)};
}

std::vector<std::uint8_t> read_buffer(const std::filesystem::path& file) {
  return base::read_bytes(file, {.what = "buffer's file", .most_bytes = std::int64_t{1} << 33});
}

namespace {
/// `begin`: where the column with the defines begins in the line.
void check_defines(const std::vector<std::string>& defines, const std::string& line, std::size_t begin,
                   const Place& place) {
  for (const auto& define : defines) {
    const auto at = line.find(define, begin);
    try {
      check_define(define, "defines");
    } catch (const Error& error) {
      throw Error(ErrorCode::bad_input, error.reason_text(),
                  {place.file, place.line, static_cast<std::int64_t>(at) + 1}, error.remedy_text());
    }
    begin = at + define.size();
  }
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

constexpr int anchor_draws = 20;

/// The model to believe: the last that was asked for, which is overlapped where that was.
const RowEstimate& believed(const RowForecast& c) { return c.estimates.back(); }

RowCase case_of(const RowForecast& c, const TimeBelief& belief) {
  const auto& e = believed(c);
  const bool by_memory = bound_by_memory(e.bound_by);
  const auto within = belief.interval(e.seconds, by_memory);
  return {c.row, c.measured_s, e.seconds * belief.scale(by_memory), within.low_s, within.high_s};
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
    const auto& c = out.cases.emplace_back(case_of(report.configurations[i], belief));
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

std::size_t row_of(const KernelAnchor& anchor, const std::vector<TuningRow>& rows) {
  const auto found = std::ranges::find_if(rows, [&](const auto& row) { return names_row(anchor, row); });
  const auto at =
      anchor.row > 0 ? static_cast<std::size_t>(anchor.row) - 1 : static_cast<std::size_t>(found - rows.begin());
  if (at >= rows.size())
    throw Error(ErrorCode::usage, wording::option("kernel.anchors") + ": the table has no such row", {},
                "rows count from 1");
  return at;
}

KernelTable drawn_anchors(const KernelTable& report, const KernelTimes& times, double spread, int drawn) {
  std::vector<std::size_t> measured;
  for (std::size_t i = 0; i < report.configurations.size(); ++i)
    if (report.configurations[i].measured_s) measured.push_back(i);
  if (measured.size() < static_cast<std::size_t>(drawn) + 2)
    throw Error(
        ErrorCode::usage,
        wording::format("{}: the table has {} measured rows", wording::option("drawn_anchors", drawn), measured.size()),
        {}, "two more than anchors are needed");
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
  const TimeBelief belief(times, spread_of(report));
  for (const auto& c : report.configurations)
    if (!c.estimates.empty()) report.cases.push_back(case_of(c, belief));
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

std::vector<TuningRow> read_tuning_table(const std::filesystem::path& file) {
  return parse_tuning_table(base::read_file(file, {.what = "table"}), file);
}

std::vector<TuningRow> parse_tuning_table(const std::string& text, const std::filesystem::path& file) {
  std::istringstream in(text);
  std::string line;
  if (!std::getline(in, line))
    throw Error(ErrorCode::bad_input, "the table is empty", {file.string()}, "its first line names the columns");
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> head;
  for (const auto part : base::split(line, '\t')) head.emplace_back(part);
  const auto column = [&](std::string_view name) { return std::find(head.begin(), head.end(), name) - head.begin(); };
  const auto columns = static_cast<std::ptrdiff_t>(head.size());
  if (column("grid") == columns || column("block") == columns)
    throw Error(ErrorCode::bad_input, "the table has no column grid or no column block", {file.string(), 1},
                "columns: kernel, grid, block, defines, args, buffers, seconds");
  std::vector<TuningRow> rows;
  std::map<std::string, std::vector<std::uint8_t>> contents;
  for (std::int64_t number = 2; std::getline(in, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const Place place{file.string(), number};
    const auto fields = base::split(line, '\t');
    const auto field = [&](std::string_view name) -> std::string {
      const auto c = column(name);
      return c < static_cast<std::ptrdiff_t>(fields.size()) ? std::string(fields[static_cast<std::size_t>(c)])
                                                            : std::string();
    };
    const auto start = [&](std::string_view name) {
      const auto c = static_cast<std::size_t>(column(name));
      return c < fields.size() ? static_cast<std::size_t>(fields[c].data() - line.data()) : line.size();
    };
    TuningRow row;
    row.line = number;
    try {
      row.kernel = field("kernel");
      row.grid = parse_dimensions(field("grid"), "grid");
      row.block = parse_dimensions(field("block"), "block");
      row.defines = words(field("defines"));
      check_defines(row.defines, line, start("defines"), place);
      for (const auto& word : words(field("args"))) row.arguments.insert(parse_assignment(word, "args"));
      for (const auto& word : words(field("buffers"))) {
        const auto [name, path] = parse_assignment(word, "buffers");
        auto& content = contents[path];
        if (content.empty()) content = read_buffer(file.parent_path() / path);
        row.buffers[name] = content;
      }
      if (const auto seconds = field("seconds"); !seconds.empty()) {
        row.seconds = base::number_in<double>(seconds);
        if (!(row.seconds > 0.0)) throw Error(ErrorCode::usage, fmt::format("seconds {}: not a time", seconds));
      }
    } catch (const Error& error) {
      throw Error(ErrorCode::bad_input, error.reason_text(), error.place().file.empty() ? place : error.place(),
                  error.remedy_text());
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty())
    throw Error(ErrorCode::bad_input, "the table has no rows", {file.string()}, "one configuration a line");
  return rows;
}

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

ModelErrors summarize(const std::string& model, const std::vector<double>& forecast,
                      const std::vector<double>& measured) {
  ModelErrors s;
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
  for (const auto i : std::span(order).first(std::min<std::size_t>(5, order.size())))
    of_five = std::min(of_five, measured[i]);
  s.top5_regret = of_five / best - 1;
  return s;
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
        out.estimates.push_back({e.model, e.seconds, e.low_s, e.high_s, e.bound_by});
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
  std::map<std::size_t, double> known;
  for (const auto& anchor : anchors) known[row_of(anchor, rows)] = anchor.seconds;
  return anchored_by(report, times, spread, known);
}
}  // namespace sparsecast::gpu_code
