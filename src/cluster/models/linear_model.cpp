#include "cluster/models/linear_model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

namespace sparsecast::cluster {
namespace {
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
  [[nodiscard]] std::vector<LeftOutError> left_out_errors(Scheme scheme, LocalFormat format,
                                                          int processes) const override {
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
}  // namespace

std::unique_ptr<ClusterModel> linear_model(const ClusterProfile& profile) {
  return std::make_unique<LinearModel>(profile);
}
}  // namespace sparsecast::cluster
