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

namespace sparsecast {

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

/// Covariance parameters that make the mean of min(|error|, 1) with families left out small: a coordinate search from
/// `start`, drawn back to it where the data are indifferent. Observations as in GaussianProcess.
Covariance tune_covariance(const Covariance& start, const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                           const std::vector<int>& groups);

}  // namespace sparsecast
