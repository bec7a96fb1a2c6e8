#include "cluster/models/linear_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace sparsecast::cluster {
std::vector<double> fit_nonnegative(const std::vector<std::vector<double>>& rows, std::span<const double> y,
                                    std::span<const double> prior, double pull) {
  const std::size_t terms = prior.size();
  std::vector<double> c(prior.begin(), prior.end());
  if (rows.empty()) return c;
  // Normal equations of the relative residuals.
  std::vector<double> gram(terms * terms, 0.0), right(terms, 0.0), share(terms, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < terms; ++j) {
      const double a = rows[i][j] / y[i];
      right[j] += a;
      share[j] += std::abs(a) / static_cast<double>(rows.size());
      for (std::size_t k = 0; k < terms; ++k) gram[j * terms + k] += a * rows[i][k] / y[i];
    }
  for (std::size_t j = 0; j < terms; ++j) {
    const double weight = pull * share[j] * share[j];
    gram[j * terms + j] += weight;
    right[j] += weight * prior[j];
  }
  for (int sweep = 0; sweep < 20000; ++sweep) {
    double moved = 0;
    for (std::size_t j = 0; j < terms; ++j) {
      if (gram[j * terms + j] <= 0) continue;
      double rest = right[j];
      for (std::size_t k = 0; k < terms; ++k)
        if (k != j) rest -= gram[j * terms + k] * c[k];
      const double next = std::max(0.0, rest / gram[j * terms + j]);
      moved = std::max(moved, std::abs(next - c[j]) * share[j]);
      c[j] = next;
    }
    if (moved < 1e-10) break;
  }
  return c;
}

// The paper's linear model of 2du (Hossain & Saule, section III-A): random matrices of a few numbers of rows r; for
// each r a line in the non-zeros per row; the forecast is interpolated between the lines of the two r that bracket the
// target's rows per process (here: rows of a block, n/p).

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
  if (std::abs(determinant) <= 1e-12 * w * wxx) return {0, wy / w};
  const double slope = (w * wxy - wx * wy) / determinant;
  return {slope, (wy - slope * wx) / w};
}

class LinearModel final : public ClusterModel {
 public:
  explicit LinearModel(const ClusterProfile& profile) : cores_per_node_(profile.cores_per_node) {
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
    seconds = std::max(seconds, lines.begin()->second.intercept > 0 ? 0.1 * lines.begin()->second.intercept : 1e-9);
    return ClusterForecast{f.scheme,
                           format,
                           name(),
                           f.processes,
                           nodes_for(f.processes, cores_per_node_),
                           seconds,
                           0,
                           0,
                           nearest != f.processes || rows > lines.rbegin()->first || rows < lines.begin()->first};
  }

  // Fitted to the random matrices alone.
  [[nodiscard]] std::vector<double> left_out_errors(Scheme scheme, LocalFormat format, int processes) const override {
    return errors_of(*this, others_, scheme, format, processes);
  }

 private:
  int cores_per_node_;
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
