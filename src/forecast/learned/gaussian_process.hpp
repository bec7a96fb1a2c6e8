#pragma once
// A Gaussian process over the features of a matrix: what is left of a time after the physical terms, learned from
// benchmark matrices. Benchmark matrices come in families (variations of one recipe), and a new matrix belongs to none
// of them, so everything here can be asked with a family left out, exactly and without a new factorisation.
//
// Covariance k(a, b) = constant² + linear² a·b + amplitude² (1 + √3 d) exp(−√3 d), d the distance in lengths of its
// own per feature (Matérn 3/2, Rasmussen & Williams 2006, section 4.2); on the diagonal noise² is added.

#include <sparsecast_constants.hpp>

#include "forecast/learned/shared_points.hpp"

namespace sparsecast::forecast {
struct Covariance {
  double constant = constants::residual_amplitude / 3, linear = constants::residual_amplitude / 6,
         amplitude = constants::residual_amplitude, noise = constants::residual_noise;
  Eigen::VectorXd lengths;  ///< one per feature

  /// Logarithms of all of them in one vector, the form in which they are searched.
  [[nodiscard]] Eigen::VectorXd to_logs() const;
  static Covariance from_logs(const Eigen::VectorXd& logs);
  /// Rows of a and b are observations, columns are features; the noise is not included.
  [[nodiscard]] Eigen::MatrixXd operator()(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const;
};

class GaussianProcess {
 public:
  /// Factorises the covariance of the observations (rows of x). `groups` numbers each observation's family from 0.
  GaussianProcess(const Covariance& covariance, const Eigen::MatrixXd& x, const std::vector<int>& groups);

  /// K⁻¹ y: the mean at a point is k(point, x)·weights.
  [[nodiscard]] Eigen::VectorXd weights(const Eigen::VectorXd& y) const;
  /// The weights as if the observations of `group` did not exist (theirs are 0).
  [[nodiscard]] Eigen::VectorXd weights_without(int group, const Eigen::VectorXd& y) const;
  /// Of every observation: what the others, its own family left out, say of it.
  [[nodiscard]] Eigen::VectorXd left_out_means(const Eigen::VectorXd& y) const;

 private:
  Eigen::MatrixXd inverse_;
  std::vector<std::vector<int>> members_;
};

/// One process: its covariance, and the weights of the observations.
struct ProcessWeights {
  Covariance covariance;
  Eigen::VectorXd weights;
};

/// What several processes over the same observations say of one point: the mean of their means, from the weights alone.
class ProcessMeans {
 public:
  ProcessMeans() = default;
  /// x as in GaussianProcess; as many weights as it has rows.
  ProcessMeans(const Eigen::MatrixXd& x, std::vector<ProcessWeights> processes);

  /// The linear part sees `held` instead of the point: it alone would go on for ever.
  [[nodiscard]] double operator()(const Eigen::RowVectorXd& point, const Eigen::RowVectorXd& held) const;

  [[nodiscard]] const std::vector<ProcessWeights>& processes() const { return processes_; }
  [[nodiscard]] bool empty() const { return processes_.empty(); }
  [[nodiscard]] const SharedPoints& points() const { return points_; }

 private:
  std::vector<ProcessWeights> processes_;
  SharedPoints points_;
  Eigen::MatrixXd amplitudes_;  // amplitude² times the weights, a column per process, over their number
  Eigen::VectorXd slope_;       // of the linear parts, over their number
  double constant_ = 0;
};

/// Covariance parameters that make the mean of min(|error|, 1) with families left out small: a coordinate search from
/// `start`, drawn back to it where the data are indifferent. Observations as in GaussianProcess.
Covariance tune_covariance(const Covariance& start, const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                           const std::vector<int>& groups);
}  // namespace sparsecast::forecast
