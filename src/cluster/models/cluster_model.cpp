#include "cluster/models/forecast.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <sparsecast_constants.hpp>

namespace sparsecast::cluster {
ClusterForecast ClusterModel::forecast_of(const SchemeFeatures& features, LocalFormat format, double seconds,
                                          bool extrapolated) const {
  return {features.scheme, format, name(), features.processes, nodes_for(features.processes, cores_per_node_),
          seconds,         0,      0,      extrapolated};
}

int nearest_count(const std::vector<int>& counts, int processes) {
  const auto distance = [&](int count) { return std::abs(std::log(static_cast<double>(count) / processes)); };
  return counts.empty() ? 0 : *std::ranges::min_element(counts, {}, distance);
}

std::vector<int> trained_counts(const ClusterProfile& profile) {
  std::set<int> counts;
  for (const TrainingRun& run : profile.runs) counts.insert(run.features.processes);
  return {counts.begin(), counts.end()};
}

std::vector<double> errors_of(const ClusterModel& model, const std::vector<TrainingRun>& runs, Scheme scheme,
                              LocalFormat format, int processes) {
  std::vector<double> errors;
  for (const TrainingRun& run : runs) {
    const SchemeFeatures& f = run.features;
    if (run.random || f.scheme != scheme || run.format != format || f.processes != processes) continue;
    if (const auto forecast = model.forecast(f, format); forecast && forecast->seconds > 0)
      errors.push_back(std::log(run.seconds / forecast->seconds));
  }
  return errors;
}

namespace {
// The distance that nine of ten errors stay within. Of few errors the largest and a half more is taken.
double nine_tenths(std::vector<double> errors) {
  constexpr double unknown = 1;  // a factor e where nothing was left out
  if (errors.empty()) return unknown;
  for (double& error : errors) error = std::abs(error);
  std::ranges::sort(errors);
  const auto place =
      static_cast<std::size_t>(std::ceil(constants::interval_share * static_cast<double>(errors.size() + 1)));
  const double width = place <= errors.size() ? errors[place - 1] : 1.5 * errors.back();
  return std::max(constants::residual_noise, width);
}

struct Line {
  double slope = 0, intercept = 0;
  [[nodiscard]] double at(double x) const { return intercept + slope * x; }
};

// Least squares in relative errors, so that the line also holds at one non-zero per row.
Line fit_line(const std::vector<std::pair<double, double>>& points) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (const auto& [x, y] : points) {
    const double weight = 1 / (y * y);
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
  }
  const double determinant = w * wxx - wx * wx;
  if (std::abs(determinant) <= 1e-9 * w * wxx) return {0, wy / w};
  const double slope = (w * wxy - wx * wy) / determinant;
  return {slope, (wy - slope * wx) / w};
}

// The paper's linear model of 2du (Hossain & Saule, section III-A): random matrices of a few numbers of rows r; for
// each r a line in the non-zeros per row; the forecast is interpolated between the lines of the two r that bracket the
// target's rows per process (here: rows of a block, n/p).
class LinearModel final : public ClusterModel {
 public:
  explicit LinearModel(const ClusterProfile& profile) : ClusterModel(profile.cores_per_node) {
    std::map<std::pair<int, LocalFormat>, std::map<double, std::vector<std::pair<double, double>>>> points;
    for (const TrainingRun& run : profile.runs) {
      if (!run.random) others_.push_back(run);
      if (!run.random || run.features.scheme != Scheme::two_d_uniform) continue;
      points[{run.features.processes, run.format}][block_rows(run.features)].emplace_back(row_mean(run.features),
                                                                                          run.seconds);
    }
    for (const auto& [key, by_rows] : points) {
      for (const auto& [rows, some] : by_rows) lines_[key][rows] = fit_line(some);
      if (counts_.empty() || counts_.back() != key.first) counts_.push_back(key.first);
    }
  }

  [[nodiscard]] std::string name() const override { return "linear"; }

  [[nodiscard]] std::optional<ClusterForecast> forecast(const SchemeFeatures& f, LocalFormat format) const override {
    if (f.scheme != Scheme::two_d_uniform || f.precision != Precision::double_) return std::nullopt;
    const int nearest = nearest_count(counts_, f.processes);
    const auto found = lines_.find({nearest, format});
    if (found == lines_.end()) return std::nullopt;
    const auto& lines = found->second;
    const double rows = block_rows(f), x = row_mean(f);
    auto above = lines.lower_bound(rows);
    // Outside the trained rows the two outermost lines are carried on.
    if (above == lines.end()) --above;
    if (above == lines.begin() && lines.size() > 1) ++above;
    double seconds = above->second.at(x);
    if (above != lines.begin()) {
      const auto below = std::prev(above);
      const double y1 = below->second.at(x);
      seconds = y1 + (seconds - y1) * (rows - below->first) / (above->first - below->first);
    }
    seconds = std::max(seconds, 1e-9 + std::max(0.0, lines.begin()->second.intercept) / 10);
    return forecast_of(f, format, seconds,
                       nearest != f.processes || rows > lines.rbegin()->first || rows < lines.begin()->first);
  }

  // Fitted to the random matrices alone.
  [[nodiscard]] std::vector<double> left_out_errors(Scheme scheme, LocalFormat format, int processes) const override {
    return errors_of(*this, others_, scheme, format, processes);
  }

 private:
  std::vector<TrainingRun> others_;
  std::map<std::pair<int, LocalFormat>, std::map<double, Line>> lines_;
  std::vector<int> counts_;

  static double block_rows(const SchemeFeatures& f) {
    return static_cast<double>(f.rows) / std::sqrt(std::max(1, f.processes));
  }
  static double row_mean(const SchemeFeatures& f) {
    return static_cast<double>(f.nonzeros) / static_cast<double>(std::max<std::int64_t>(1, f.rows));
  }
};

std::vector<double> monomials(int nodes, int processes, double bytes, double neighbours) {
  const double s = std::log2(bytes), p = std::log2(static_cast<double>(processes)),
               n = std::log2(static_cast<double>(nodes));
  const double k = std::log2(std::max(1.0, neighbours));
  return {1, s, s * s, s * s * s, p, p * p, s * p, s * s * p, n, s * n, k, s * k};
}

constexpr double index_bytes = 4;

// The paper's model from micro-benchmarks (Hossain & Saule, section III-C):
//   core = L_FMA · NNZ + sequential bytes / BW(footprint) + irregular misses · latency
// with the accesses of its table I: CSR reads 2·rpp row pointers, nnz columns, nnz values and writes rpp of y in
// sequence; COO reads nnz rows, columns and values in sequence; x (and, for COO, y) is irregular: hits count as
// sequential, misses cost memory. Communication: one polynomial per pattern (forecast.hpp).
class MicrobenchModel final : public ClusterModel {
 public:
  explicit MicrobenchModel(const ClusterProfile& profile)
      : ClusterModel(profile.cores_per_node), profile_(profile), polynomials_(profile), curves_(profile) {}

  [[nodiscard]] std::string name() const override { return "microbench"; }

  [[nodiscard]] std::optional<ClusterForecast> forecast(const SchemeFeatures& f, LocalFormat format) const override {
    if (profile_.node.bandwidth.empty() || profile_.messages.empty()) return std::nullopt;
    ClusterForecast out = forecast_of(f, format, 0, false);
    double own = 0;
    for (const RankFeatures& rank : f.ranks) {
      const double mine = block_seconds(rank.own, format, f.processes);
      out.core_s =
          std::max(out.core_s, mine + (rank.remote.nonzeros > 0 ? block_seconds(rank.remote, format, f.processes) : 0));
      own = std::max(own, mine);
    }
    out.communication_s = communication(f, own);
    const auto counts = curves_.counts(f.scheme == Scheme::local_rows    ? "ping_pong_near"
                                       : f.scheme == Scheme::global_rows ? "allgatherv"
                                                                         : "grid");
    out.extrapolated = f.processes > 1 && std::ranges::find(counts, f.processes) == counts.end();
    out.seconds = out.core_s + out.communication_s;
    return out;
  }

  // Fitted to no run at all.
  [[nodiscard]] std::vector<double> left_out_errors(Scheme scheme, LocalFormat format, int processes) const override {
    return errors_of(*this, profile_.runs, scheme, format, processes);
  }

 private:
  ClusterProfile profile_;
  MessagePolynomials polynomials_;
  MessageCurves curves_;

  // Processes on a node that compete for its memory, and how many of them share one core.
  [[nodiscard]] int busy(int processes) const { return std::clamp(processes, 1, profile_.cores_per_node); }
  [[nodiscard]] double per_core(int processes) const {
    return std::ceil(static_cast<double>(processes) / profile_.nodes(processes) / profile_.cores_per_node);
  }

  [[nodiscard]] double bandwidth(double footprint, int processes) const {
    // The curve with that many busy processes, or the nearest below it (simulated ranks have a node to themselves).
    const BandwidthCurve* curve = nullptr;
    for (const BandwidthCurve& c : profile_.node.bandwidth)
      if (c.value_bytes == 8 && c.busy <= busy(processes) && (curve == nullptr || c.busy > curve->busy)) curve = &c;
    if (curve == nullptr) curve = &profile_.node.bandwidth.front();
    // The paper takes the mean of the two neighbouring points; so do we.
    const auto above = std::ranges::lower_bound(curve->bytes, footprint);
    const auto k = static_cast<std::size_t>(above - curve->bytes.begin());
    if (k == 0) return curve->rate.front();
    if (k == curve->bytes.size()) return curve->rate.back();
    return 0.5 * (curve->rate[k - 1] + curve->rate[k]);
  }

  [[nodiscard]] double latency(double footprint) const {
    const LatencyCurve& curve = profile_.node.latency;
    const auto above = std::ranges::lower_bound(curve.bytes, footprint);
    const auto k = std::min(static_cast<std::size_t>(above - curve.bytes.begin()), curve.bytes.size() - 1);
    return curve.seconds[k];
  }

  [[nodiscard]] double block_seconds(const BlockFeatures& block, LocalFormat format, int processes) const {
    const double nnz = block.nonzeros, misses = block.misses[2], value_bytes = block.value_bytes;
    double sequential = format == LocalFormat::csr ? 2 * block.rows * index_bytes + nnz * (index_bytes + value_bytes) +
                                                         block.rows * value_bytes
                                                   : nnz * (2 * index_bytes + value_bytes);
    sequential += (nnz - misses) * value_bytes;  // hits of x
    if (format == LocalFormat::coo)
      sequential += 2 * nnz * value_bytes;  // y is read and written per non-zero, and hit: rows ascend
    const double footprint = nnz * (index_bytes + value_bytes + (format == LocalFormat::coo ? index_bytes : 0)) +
                             block.rows * value_bytes + std::min(block.columns, nnz) * value_bytes;
    const double seconds =
        profile_.node.fma_s * nnz + sequential / bandwidth(footprint, processes) + misses * latency(footprint);
    return seconds * per_core(processes);
  }

  [[nodiscard]] double communication(const SchemeFeatures& f, double own) const {
    const int nodes = profile_.nodes(f.processes);
    const double entry = value_bytes(f.precision);
    const auto time = [&](const char* pattern, double bytes, double neighbours = 1) {
      return polynomials_.seconds(pattern, nodes, f.processes, bytes, neighbours).value_or(0);
    };
    switch (f.scheme) {
      case Scheme::two_d_uniform: {
        const auto part = static_cast<double>(grid_of(f.processes).block_columns(f.rows));
        return time("grid_reduce", entry * part) + time("grid_bcast", entry * part);
      }
      case Scheme::global_rows: return time("allgatherv", entry * static_cast<double>(f.rows));
      case Scheme::local_rows: break;
    }
    if (f.load.messages == 0) return 0;
    constexpr double value = 8;  // bytes
    const double bytes = (f.load.near_bytes + f.load.far_bytes) / f.load.messages;
    // What the local part hides is not seen.
    return std::max(0.0, time("halo", std::max(value, bytes), f.load.messages) - own);
  }
};
}  // namespace

void set_interval(ClusterForecast& forecast, const ClusterModel& model, const std::vector<int>& counts) {
  std::vector<int> usable;
  std::ranges::copy_if(counts, std::back_inserter(usable),
                       [&](int count) { return admissible(forecast.scheme, count); });
  const int nearest = nearest_count(usable, forecast.processes);
  std::vector<double> errors;
  for (const LocalFormat format : all_formats()) {
    const std::vector<double> some = model.left_out_errors(forecast.scheme, format, nearest);
    errors.insert(errors.end(), some.begin(), some.end());
  }
  const double away = nearest > 0 ? std::abs(std::log2(static_cast<double>(forecast.processes) / nearest)) : 1;
  const double width = nine_tenths(std::move(errors)) * (1 + away / 2);
  forecast.low_s = forecast.seconds * std::exp(-width);
  forecast.high_s = forecast.seconds * std::exp(width);
}

std::unique_ptr<ClusterModel> linear_model(const ClusterProfile& profile) {
  return std::make_unique<LinearModel>(profile);
}

double along_curve(const std::vector<std::pair<double, double>>& points, double x) {
  if (points.empty()) return 0;
  if (points.size() == 1) return points[0].second;
  auto above = std::ranges::lower_bound(points, x, {}, &std::pair<double, double>::first);
  if (above == points.begin()) return points[0].second;  // smaller messages cost the same latency
  const bool beyond = above == points.end();
  if (beyond) --above;
  const auto below = std::prev(above);
  double slope = std::log(above->second / below->second) / std::log(above->first / below->first);
  if (beyond) slope = std::clamp(slope, 0.0, 1.5);
  return below->second * std::pow(x / below->first, slope);
}

MessageCurves::MessageCurves(const ClusterProfile& profile) {
  for (const MessageTime& m : profile.messages)
    if (m.pattern != "halo") curves_[m.pattern][m.processes].emplace_back(m.bytes, m.seconds);
  for (auto& [pattern, by_count] : curves_)
    for (auto& [count, points] : by_count) {
      std::ranges::sort(points);
      // Equal sizes (tiny gathers are rounded up to one entry per rank) would make an infinite slope.
      points.erase(
          std::unique(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
          points.end());
    }
}

std::optional<double> MessageCurves::seconds(const std::string& pattern, int processes, double bytes) const {
  const auto found = curves_.find(pattern);
  if (found == curves_.end()) return std::nullopt;
  Points over_counts;
  for (const auto& [count, points] : found->second) over_counts.emplace_back(count, along_curve(points, bytes));
  return along_curve(over_counts, processes);
}

std::vector<int> MessageCurves::counts(const std::string& pattern) const {
  std::vector<int> out;
  if (const auto found = curves_.find(pattern); found != curves_.end())
    for (const auto& [count, points] : found->second) out.push_back(count);
  return out;
}

MessagePolynomials::MessagePolynomials(const ClusterProfile& profile) {
  std::map<std::string, std::vector<const MessageTime*>> by_pattern;
  for (const MessageTime& m : profile.messages) by_pattern[m.pattern].push_back(&m);
  for (const auto& [pattern, times] : by_pattern) {
    const auto terms = static_cast<Eigen::Index>(monomials(1, 1, 8, 1).size());
    Eigen::MatrixXd a(static_cast<Eigen::Index>(times.size()), terms);
    Eigen::VectorXd b(a.rows());
    Fit fit{{}, INFINITY, 0};
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      const MessageTime& m = *times[static_cast<std::size_t>(i)];
      const auto row = monomials(m.nodes, m.processes, m.bytes, m.neighbours);
      for (Eigen::Index j = 0; j < terms; ++j) a(i, j) = row[static_cast<std::size_t>(j)];
      b(i) = std::log(m.seconds);
      fit.least_bytes = std::min(fit.least_bytes, m.bytes);
      fit.most_bytes = std::max(fit.most_bytes, m.bytes);
    }
    // With one node or one process count some monomials are not told apart: the solution of least norm is taken.
    const Eigen::VectorXd c = a.completeOrthogonalDecomposition().solve(b);
    fit.coefficients.assign(c.data(), c.data() + c.size());
    fits_[pattern] = std::move(fit);
  }
}

std::optional<double> MessagePolynomials::seconds(const std::string& pattern, int nodes, int processes, double bytes,
                                                  double neighbours) const {
  const auto found = fits_.find(pattern);
  if (found == fits_.end()) return std::nullopt;
  const Fit& fit = found->second;
  const double size = std::clamp(bytes, fit.least_bytes, fit.most_bytes);
  const auto row = monomials(nodes, processes, size, neighbours);
  double log_time = 0;
  for (std::size_t j = 0; j < row.size(); ++j) log_time += fit.coefficients[j] * row[j];
  return std::exp(log_time) * std::max(1.0, bytes / fit.most_bytes);
}

std::unique_ptr<ClusterModel> microbench_model(const ClusterProfile& profile) {
  return std::make_unique<MicrobenchModel>(profile);
}
}  // namespace sparsecast::cluster
