#pragma once
// Gradient-boosted regression trees (Chen & Guestrin 2016), by XGBoost, which is opened where it is here. Trees cannot
// extrapolate and are hard to mislead; a Gaussian process is the other way round.

#include <Eigen/Core>
#include <memory>
#include <vector>

namespace sparsecast::forecast {
class BoostedTrees {
 public:
  /// False where XGBoost is not here, or was not when this was built: nothing can be fitted then.
  [[nodiscard]] static bool available();

  /// Nothing fitted: predicts 0.
  BoostedTrees() = default;
  /// Fitted to rows of features and their targets; the same trees on every call. Error failed with XGBoost's reason.
  BoostedTrees(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets);
  /// What bytes() gave. Error failed where it is nothing that XGBoost wrote, or where it is not here.
  explicit BoostedTrees(const std::vector<std::uint8_t>& bytes);

  [[nodiscard]] bool empty() const { return !model_; }
  [[nodiscard]] double predict(const Eigen::RowVectorXd& features) const;
  [[nodiscard]] std::vector<std::uint8_t> bytes() const;

 private:
  struct Model;
  std::shared_ptr<const Model> model_;
};
}  // namespace sparsecast::forecast
