// One regression per scheme, format and process count: libsvm's ε-SVR with a polynomial kernel, its parameters by
// 5-fold cross-validation. C takes the paper's eight values 2⁻² … 2⁵. Of γ the paper writes "{0.01, 0.02, …, 0.2,
// 0.3}": those 21 values in the whole search, 14 of them where a forecast has to wait for it. ε, of which the paper
// says nothing, is 1, 3 or 10 % of a factor e in the whole search and else 1 %. Degree and the constant of the kernel
// are ours. Attributes enter as logarithms, scaled to [0, 1], times as logarithms: they span five orders of magnitude,
// and it is the relative error that counts.

#include "cluster/models/svr_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sparsecast_constants.hpp>
#include <tuple>

#include "base/interrupt.hpp"

#ifdef SPARSECAST_HAS_LIBSVM
#include <svm.h>
#endif

namespace sparsecast::cluster {
namespace {
#ifdef SPARSECAST_HAS_LIBSVM

constexpr int folds = 5;

struct SearchGrid {
  std::vector<double> gammas, epsilons;
};
SearchGrid grid_of(int finest, const std::vector<int>& wide, const std::vector<int>& epsilons) {
  SearchGrid grid;
  for (int k = 1; k <= finest; ++k) grid.gammas.push_back(k * constants::svr_step);
  for (const int k : wide) grid.gammas.push_back(k * constants::svr_step);
  for (const int k : epsilons) grid.epsilons.push_back(k * constants::svr_step);
  return grid;
}
SearchGrid short_grid() { return grid_of(10, {15, 20, 25, 30}, {1}); }
SearchGrid whole_grid() { return grid_of(20, {30}, {1, 3, 10}); }

struct Parameters {  // where runs are too few to choose
  double c = 8, gamma = 10 * constants::svr_step, epsilon = constants::svr_step;
};

// One trained regression with the scaling of its attributes.
class Regression {
 public:
  /// With these parameters, or the best of the grid.
  Regression(const std::vector<std::vector<double>>& attributes, const std::vector<double>& seconds,
             const std::optional<Parameters>& known, const SearchGrid& grid) {
    const std::size_t width = attributes[0].size();
    low_.assign(width, INFINITY);
    high_.assign(width, -INFINITY);
    for (const auto& row : attributes)
      for (std::size_t j = 0; j < width; ++j) {
        low_[j] = std::min(low_[j], logarithm(row[j]));
        high_[j] = std::max(high_[j], logarithm(row[j]));
      }
    for (const auto& row : attributes) nodes_.push_back(scaled(row));
    for (auto& row : nodes_) rows_.push_back(row.data());
    for (const double s : seconds) target_.push_back(std::log(s));
    problem_ = {static_cast<int>(target_.size()), target_.data(), rows_.data()};
    svm_set_print_string_function([](const char*) {});
    parameters_ = known ? *known : chosen(grid);
    const svm_parameter best = svm_of(parameters_);
    model_ = svm_train(&problem_, &best);
    if (problem_.l < 2 * folds) return;
    std::srand(1);
    errors_.resize(target_.size());
    svm_cross_validation(&problem_, &best, folds, errors_.data());
    for (std::size_t i = 0; i < errors_.size(); ++i) errors_[i] = target_[i] - errors_[i];
  }
  ~Regression() { svm_free_and_destroy_model(&model_); }
  Regression& operator=(Regression&&) = delete;  // nor copied

  [[nodiscard]] double seconds(const std::vector<double>& attributes) const {
    const auto row = scaled(attributes);
    return std::exp(svm_predict(model_, row.data()));
  }
  /// Of every run, by regressions that did not see it; empty where they are too few.
  [[nodiscard]] const std::vector<double>& left_out_errors() const { return errors_; }
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

 private:
  Parameters parameters_;
  std::vector<double> low_, high_, target_, errors_;
  std::vector<std::vector<svm_node>> nodes_;  // the model points into these
  std::vector<svm_node*> rows_;
  svm_problem problem_{};
  svm_model* model_ = nullptr;

  static double logarithm(double value) { return std::log(std::max(value, 1e-9)); }

  [[nodiscard]] std::vector<svm_node> scaled(const std::vector<double>& row) const {
    std::vector<svm_node> out;
    for (std::size_t j = 0; j < row.size(); ++j)
      if (const double range = high_[j] - low_[j]; range > 0)
        // A matrix outside the trained range is taken as one at its edge: a cubic beyond it says anything.
        out.push_back({static_cast<int>(j) + 1, std::clamp((logarithm(row[j]) - low_[j]) / range, -constants::svr_edge,
                                                           1 + constants::svr_edge)});
    out.push_back({-1, 0});
    return out;
  }

  static svm_parameter svm_of(const Parameters& chosen) {
    svm_parameter p{};
    p.svm_type = EPSILON_SVR;
    p.kernel_type = POLY;
    p.degree = 3;
    p.gamma = chosen.gamma;
    p.coef0 = 1;
    p.C = chosen.c;
    p.p = chosen.epsilon;
    p.eps = 1e-3;
    p.cache_size = 8;
    return p;
  }

  // Those of the grid with the least squared error in the left-out fifths.
  [[nodiscard]] Parameters chosen(const SearchGrid& grid) const {
    Parameters best;
    if (problem_.l < 2 * folds) return best;
    double least = INFINITY;
    std::vector<double> left_out(target_.size());
    for (int power = -2; power <= 5; ++power)
      for (const double gamma : grid.gammas)
        for (const double epsilon : grid.epsilons) {
          base::throw_if_interrupted();
          const Parameters candidate{std::ldexp(1.0, power), gamma, epsilon};
          const svm_parameter svm = svm_of(candidate);
          std::srand(1);  // libsvm shuffles its folds with rand()
          svm_cross_validation(&problem_, &svm, folds, left_out.data());
          double error = 0;
          for (std::size_t i = 0; i < target_.size(); ++i)
            error += (left_out[i] - target_[i]) * (left_out[i] - target_[i]);
          if (error < least) {
            least = error;
            best = candidate;
          }
        }
    return best;
  }
};

bool belongs(const TrainingRun& run, Scheme scheme, LocalFormat format, int count) {
  return run.features.scheme == scheme && run.format == format && run.features.processes == count;
}

// Null for fewer than three runs.
std::unique_ptr<Regression> regression_of(const std::vector<TrainingRun>& runs, Scheme scheme, LocalFormat format,
                                          int count, const std::optional<Parameters>& known, const SearchGrid& grid) {
  std::vector<std::vector<double>> attributes;
  std::vector<double> seconds;
  for (const TrainingRun& run : runs)
    if (belongs(run, scheme, format, count)) {
      attributes.push_back(run.features.attributes);
      seconds.push_back(run.seconds);
    }
  if (attributes.size() < 3) return nullptr;
  return std::make_unique<Regression>(attributes, seconds, known, grid);
}

class SvrModel final : public ClusterModel {
 public:
  SvrModel(const ClusterProfile& profile, bool full)
      : ClusterModel(profile.cores_per_node), runs_(profile.runs), counts_(trained_counts(profile)), full_(full) {
    for (const RegressionChoice& r : profile.regressions)
      known_[{r.scheme, r.format, r.processes}] = {r.c, r.gamma, r.epsilon};
  }

  [[nodiscard]] std::string name() const override { return "svr"; }

  [[nodiscard]] std::optional<ClusterForecast> forecast(const SchemeFeatures& f, LocalFormat format) const override {
    if (f.precision != Precision::double_) return std::nullopt;  // no attribute knows of it
    std::vector<int> counts;
    for (const int count : counts_)
      if (admissible(f.scheme, count)) counts.push_back(count);
    const int nearest = nearest_count(counts, f.processes);
    if (nearest == 0) return std::nullopt;
    const Regression* regression = trained(f.scheme, format, nearest);
    if (regression == nullptr) return std::nullopt;
    return forecast_of(f, format, regression->seconds(f.attributes), nearest != f.processes);
  }

  [[nodiscard]] std::vector<LeftOutError> left_out_errors(Scheme scheme, LocalFormat format,
                                                          int processes) const override {
    const Regression* regression = trained(scheme, format, processes);
    if (regression == nullptr || regression->left_out_errors().empty()) return {};
    std::vector<LeftOutError> errors;
    std::size_t at = 0;
    for (const TrainingRun& run : runs_)
      if (belongs(run, scheme, format, processes)) {
        if (!run.random) errors.push_back({run.matrix, regression->left_out_errors()[at]});
        ++at;
      }
    return errors;
  }

 private:
  std::vector<TrainingRun> runs_;
  std::vector<int> counts_;
  bool full_;
  std::map<std::tuple<Scheme, LocalFormat, int>, Parameters> known_;
  // Trained when first asked for: a grid search takes a good part of a second.
  mutable std::map<std::tuple<Scheme, LocalFormat, int>, std::unique_ptr<Regression>> regressions_;

  const Regression* trained(Scheme scheme, LocalFormat format, int count) const {
    const auto key = std::tuple(scheme, format, count);
    if (const auto found = regressions_.find(key); found != regressions_.end()) return found->second.get();
    std::optional<Parameters> known;
    if (const auto found = known_.find(key); found != known_.end()) known = found->second;
    auto& place = regressions_[key];
    place = regression_of(runs_, scheme, format, count, known, full_ ? whole_grid() : short_grid());
    return place.get();
  }
};
}  // namespace

std::vector<RegressionChoice> search_regressions(const ClusterProfile& profile) {
  std::vector<RegressionChoice> found;
  for (const int count : trained_counts(profile))
    for (const Scheme scheme : all_schemes())
      for (const LocalFormat format : all_formats())
        if (const auto best = regression_of(profile.runs, scheme, format, count, std::nullopt, whole_grid())) {
          const Parameters& p = best->parameters();
          found.push_back({scheme, format, count, p.c, p.gamma, p.epsilon});
        }
  return found;
}

#else

class SvrModel final : public ClusterModel {
 public:
  SvrModel(const ClusterProfile& profile, bool) : ClusterModel(profile.cores_per_node) {}
  [[nodiscard]] std::string name() const override { return "svr"; }
  [[nodiscard]] std::optional<ClusterForecast> forecast(const SchemeFeatures&, LocalFormat) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::vector<LeftOutError> left_out_errors(Scheme, LocalFormat, int) const override { return {}; }
};
}  // namespace

std::vector<RegressionChoice> search_regressions(const ClusterProfile&) { return {}; }

#endif

std::unique_ptr<ClusterModel> svr_model(const ClusterProfile& profile, bool full) {
  return std::make_unique<SvrModel>(profile, full);
}
}  // namespace sparsecast::cluster
