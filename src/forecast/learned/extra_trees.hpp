#pragma once
// Extremely randomized trees (Geurts, Ernst & Wehenkel 2006): many trees, each split at random places of random
// features, the best of them taken. Few parameters, hard to mislead, and small enough to be grown where it is used.

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace sparsecast::forecast {
class ExtraTrees {
 public:
  /// Nothing grown: predicts 0.
  ExtraTrees() = default;
  /// One row of features per target. The same trees for the same data. In the mean of a leaf a target counts
  /// exp(−lean · target): with 1, logarithms of times count as errors do that are over the measured time.
  ExtraTrees(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets, int trees, double lean = 0);

  /// What bytes() gave, for rows of so many features. Error bad_input where it is nothing of that kind.
  ExtraTrees(std::span<const std::uint8_t> bytes, Eigen::Index features);

  [[nodiscard]] bool empty() const { return roots_.empty(); }
  [[nodiscard]] std::vector<std::uint8_t> bytes() const;
  /// The mean of the trees.
  [[nodiscard]] double predict(const Eigen::RowVectorXd& features) const;
  /// Their median: a few odd targets do not move it. 0 where nothing is grown.
  [[nodiscard]] double median(const Eigen::RowVectorXd& features) const;

 private:
  struct Node {
    std::int32_t feature = -1;  ///< −1: a leaf
    std::int32_t right = 0;     ///< the left one follows its node
    float number = 0;           ///< threshold, or value of a leaf
  };
  class Grower;
  [[nodiscard]] std::vector<double> all(const Eigen::RowVectorXd& features) const;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> roots_;
};
}  // namespace sparsecast::forecast
