#pragma once
// Points that several covariances compare one more point with. A forecast asks five processes about the same benchmark
// matrices, so the points are read once for all of them, in single precision: what was measured is not known to a
// millionth.

#include <Eigen/Core>
#include <vector>

namespace sparsecast::forecast {
class SharedPoints {
 public:
  SharedPoints() = default;
  /// Rows of x are points, columns are features; every covariance has a length per feature.
  SharedPoints(const Eigen::MatrixXd& x, const std::vector<Eigen::VectorXd>& lengths);

  /// Matérn 3/2 correlation, (1 + √3 d) exp(−√3 d), of this point with every one of the points (rows) in the lengths of
  /// every covariance (columns). Its error is some 1e-6.
  [[nodiscard]] Eigen::ArrayXXd correlations(const Eigen::RowVectorXd& point) const;
  /// The lowest and highest value of every feature.
  [[nodiscard]] const Eigen::RowVectorXd& low() const { return low_; }
  [[nodiscard]] const Eigen::RowVectorXd& high() const { return high_; }

 private:
  Eigen::Index points_ = 0;
  Eigen::MatrixXf x_;        // points, filled up to whole blocks; features in columns
  Eigen::MatrixXf weights_;  // 3 / length², features; covariances in columns
  Eigen::RowVectorXd low_, high_;
};
}  // namespace sparsecast::forecast
