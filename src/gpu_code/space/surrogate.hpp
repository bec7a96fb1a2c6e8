#pragma once
// What the forecasts made so far say about configurations that were not compiled: a Gaussian process over the
// parameters (Rasmussen and Williams, Gaussian Processes for Machine Learning, chapters 2 and 5; Matérn 5/2 with a
// length for every coordinate, found by the marginal likelihood). Its mean less some deviations is the bound by which
// the search passes configurations over.

#include <Eigen/Cholesky>
#include <cstddef>
#include <span>
#include <vector>

namespace sparsecast::gpu_code {
class Surrogate {
 public:
  struct Prediction {
    double mean = 0, deviation = 0;
  };

  /// Points of equal dimension, one value each. Lengths are looked for again where `points` grew by a fifth.
  void fit(std::vector<std::vector<double>> points, const std::vector<double>& values);
  [[nodiscard]] Prediction predict(std::span<const double> point) const;

 private:
  struct Fitted {
    Eigen::LLT<Eigen::MatrixXd> factor;
    Eigen::VectorXd weights;
    double scale2 = 0, likelihood = 0;
    bool positive = false;
  };
  [[nodiscard]] double covariance(std::span<const double> a, std::span<const double> b,
                                  const std::vector<double>& lengths) const;
  [[nodiscard]] Fitted factored(const std::vector<double>& lengths) const;
  void find_lengths();

  std::vector<std::vector<double>> points_;
  Eigen::VectorXd centred_;
  double mean_ = 0;
  std::vector<double> lengths_;
  std::size_t lengths_found_at_ = 0;
  Fitted fitted_;
};
}  // namespace sparsecast::gpu_code
