#pragma once
// A Gaussian process over the features of a matrix: what is left of a time after the physical terms, learned from
// benchmark matrices. Benchmark matrices come in families (variations of one recipe), and a new matrix belongs to none
// of them, so everything here can be asked with a family left out, exactly and without a new factorisation.
//
// Covariance k(a, b) = constant² + linear² a·b + amplitude² (1 + √3 d) exp(−√3 d), d the distance in lengths of its
// own per feature (Matérn 3/2, Rasmussen & Williams 2006, section 4.2); on the diagonal noise² is added.

#include <Eigen/Core>
#include <span>
#include <vector>

namespace sparsecast::forecast {

struct Covariance {
  double constant = 0.1, linear = 0.05, amplitude = 0.3, noise = 0.03;
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

/// Points in lengths of a covariance, so that the distances to one more point cost one product.
class ScaledPoints {
 public:
  ScaledPoints() = default;
  ScaledPoints(Eigen::VectorXd lengths, const Eigen::MatrixXd& x);
  /// Matérn 3/2 correlation of every point with this one, 1 where they are the same.
  [[nodiscard]] Eigen::ArrayXd correlations(const Eigen::RowVectorXd& point) const;

 private:
  Eigen::VectorXd lengths_;
  Eigen::MatrixXd scaled_;
  Eigen::VectorXd squared_norms_;
};

/// What a process says of one point, from its weights alone.
class ProcessMean {
 public:
  /// x and weights as in GaussianProcess.
  ProcessMean(Covariance covariance, const Eigen::MatrixXd& x, Eigen::VectorXd weights);

  /// The linear part sees `held` instead of the point: it alone would go on for ever.
  [[nodiscard]] double operator()(const Eigen::RowVectorXd& point, const Eigen::RowVectorXd& held) const;

  [[nodiscard]] const Covariance& covariance() const { return covariance_; }
  [[nodiscard]] const Eigen::VectorXd& weights() const { return weights_; }

 private:
  Covariance covariance_;
  Eigen::VectorXd weights_;
  ScaledPoints points_;
  Eigen::VectorXd slope_;  // of the linear part
};

/// Covariance parameters that make the mean of min(|error|, 1) with families left out small: a coordinate search from
/// `start`, drawn back to it where the data are indifferent. Observations as in GaussianProcess.
Covariance tune_covariance(const Covariance& start, const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                           const std::vector<int>& groups);

}  // namespace sparsecast::forecast
