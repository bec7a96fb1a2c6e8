// The paper's polynomial support-vector regression (Hossain & Saule, section III-B), one per scheme, format and process
// count: libsvm's ε-SVR with a polynomial kernel, C and γ by 5-fold cross-validation. C takes the paper's eight values
// 2⁻² … 2⁵. γ takes 14 values from 0.01 to 0.3: steps of 0.01 up to 0.1, of 0.05 beyond (the paper writes
// "{0.01, 0.02, …, 0.2, 0.3}"). Degree, ε and the constant of the kernel are ours. Attributes enter as logarithms,
// scaled to [0, 1], times as logarithms: they span five orders of magnitude, and it is the relative error that counts.
// ε is 1 % of a factor e.

#include "cluster/models/svr_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

#ifdef SPARSECAST_HAS_LIBSVM
#include <svm.h>
#endif

namespace sparsecast::cluster {
namespace {

#ifdef SPARSECAST_HAS_LIBSVM

constexpr int folds = 5;

// One trained regression with the scaling of its attributes.
class Regression {
 public:
  Regression(const std::vector<std::vector<double>>& attributes, const std::vector<double>& seconds) {
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
    const svm_parameter best = chosen();
    model_ = svm_train(&problem_, &best);
    if (problem_.l < 2 * folds) return;
    std::srand(1);
    errors_.resize(target_.size());
    svm_cross_validation(&problem_, &best, folds, errors_.data());
    for (std::size_t i = 0; i < errors_.size(); ++i) errors_[i] = target_[i] - errors_[i];
  }
  ~Regression() { svm_free_and_destroy_model(&model_); }
  Regression(const Regression&) = delete;
  Regression& operator=(const Regression&) = delete;

  [[nodiscard]] double seconds(const std::vector<double>& attributes) const {
    const auto row = scaled(attributes);
    return std::exp(svm_predict(model_, row.data()));
  }
  /// Of every run, by regressions that did not see it; empty where they are too few.
  [[nodiscard]] const std::vector<double>& left_out_errors() const { return errors_; }

 private:
  std::vector<double> low_, high_, target_, errors_;
  std::vector<std::vector<svm_node>> nodes_;  // the model points into these
  std::vector<svm_node*> rows_;
  svm_problem problem_{};
  svm_model* model_ = nullptr;

  static double logarithm(double value) { return std::log(std::max(value, 1e-12)); }

  [[nodiscard]] std::vector<svm_node> scaled(const std::vector<double>& row) const {
    std::vector<svm_node> out;
    for (std::size_t j = 0; j < row.size(); ++j)
      if (const double range = high_[j] - low_[j]; range > 0)
        // A matrix outside the trained range is taken as one at its edge: a cubic beyond it says anything.
        out.push_back({static_cast<int>(j) + 1, std::clamp((logarithm(row[j]) - low_[j]) / range, -0.1, 1.1)});
    out.push_back({-1, 0});
    return out;
  }

  static svm_parameter parameters(double c, double gamma) {
    svm_parameter p{};
    p.svm_type = EPSILON_SVR;
    p.kernel_type = POLY;
    p.degree = 3;
    p.gamma = gamma;
    p.coef0 = 1;
    p.C = c;
    p.p = 0.01;
    p.eps = 1e-3;
    p.cache_size = 8;
    return p;
  }

  // The pair of the grid with the least squared error in the left-out fifths.
  [[nodiscard]] svm_parameter chosen() const {
    svm_parameter best = parameters(8, 0.1);
    if (problem_.l < 2 * folds) return best;
    double least = INFINITY;
    std::vector<double> left_out(target_.size());
    for (int power = -2; power <= 5; ++power)
      for (const double gamma : {0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.15, 0.2, 0.25, 0.3}) {
        const svm_parameter candidate = parameters(std::ldexp(1.0, power), gamma);
        std::srand(1);  // libsvm shuffles its folds with rand()
        svm_cross_validation(&problem_, &candidate, folds, left_out.data());
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

class SvrModel final : public ClusterModel {
 public:
  explicit SvrModel(const ClusterProfile& profile)
      : cores_per_node_(profile.cores_per_node), runs_(profile.runs), counts_(trained_counts(profile)) {}

  [[nodiscard]] std::string name() const override { return "svr"; }

  [[nodiscard]] std::optional<ClusterForecast> forecast(const SchemeFeatures& f, LocalFormat format) const override {
    std::vector<int> counts;
    for (const int count : counts_)
      if (admissible(f.scheme, count)) counts.push_back(count);
    const int nearest = nearest_count(counts, f.processes);
    if (nearest == 0) return std::nullopt;
    const Regression* regression = trained(f.scheme, format, nearest);
    if (regression == nullptr) return std::nullopt;
    return ClusterForecast{f.scheme,
                           format,
                           name(),
                           f.processes,
                           nodes_for(f.processes, cores_per_node_),
                           regression->seconds(f.attributes),
                           0,
                           0,
                           nearest != f.processes};
  }

  [[nodiscard]] std::vector<double> left_out_errors(Scheme scheme, LocalFormat format, int processes) const override {
    const Regression* regression = trained(scheme, format, processes);
    if (regression == nullptr || regression->left_out_errors().empty()) return {};
    std::vector<double> errors;
    std::size_t at = 0;
    for (const TrainingRun& run : runs_)
      if (belongs(run, scheme, format, processes)) {
        if (!run.random) errors.push_back(regression->left_out_errors()[at]);
        ++at;
      }
    return errors;
  }

 private:
  int cores_per_node_;
  std::vector<TrainingRun> runs_;
  std::vector<int> counts_;
  // Trained when first asked for: a grid search takes a good part of a second.
  mutable std::map<std::tuple<Scheme, LocalFormat, int>, std::unique_ptr<Regression>> regressions_;

  static bool belongs(const TrainingRun& run, Scheme scheme, LocalFormat format, int count) {
    return run.features.scheme == scheme && run.format == format && run.features.processes == count;
  }

  const Regression* trained(Scheme scheme, LocalFormat format, int count) const {
    const auto key = std::tuple(scheme, format, count);
    if (const auto found = regressions_.find(key); found != regressions_.end()) return found->second.get();
    std::vector<std::vector<double>> attributes;
    std::vector<double> seconds;
    for (const TrainingRun& run : runs_)
      if (belongs(run, scheme, format, count)) {
        attributes.push_back(run.features.attributes);
        seconds.push_back(run.seconds);
      }
    auto& place = regressions_[key];
    if (attributes.size() >= 3) place = std::make_unique<Regression>(attributes, seconds);
    return place.get();
  }
};

#else

class SvrModel final : public ClusterModel {
 public:
  explicit SvrModel(const ClusterProfile&) {}
  [[nodiscard]] std::string name() const override { return "svr"; }
  [[nodiscard]] std::optional<ClusterForecast> forecast(const SchemeFeatures&, LocalFormat) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::vector<double> left_out_errors(Scheme, LocalFormat, int) const override { return {}; }
};

#endif

}  // namespace

std::unique_ptr<ClusterModel> svr_model(const ClusterProfile& profile) { return std::make_unique<SvrModel>(profile); }

}  // namespace sparsecast::cluster
