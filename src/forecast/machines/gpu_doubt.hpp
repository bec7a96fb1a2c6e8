#pragma once
// How sure the numbers are that a GPU is forecast by: normal about what they are taken for, all kernels alike and one
// beside the others. Each product that was measured tells of launch, stream and cores by their shares of its time.

#include <Eigen/Core>
#include <array>
#include <map>
#include <string>

#include "forecast/machines/gpu_product.hpp"

namespace sparsecast::forecast {
/// A kernel's time on one matrix by floor and counts alone.
struct GpuBase {
  double seconds = 0, floor = 0;
  std::array<double, gpu_counts + 1> parts{};  ///< add up to seconds; the order of gpu_terms
};

/// By how much the logarithm of a time moves with each number that it depends on.
struct GpuSlopes {
  GpuSlopes(const GpuBase& base, double by_trees);
  std::array<double, 8> by{};  ///< launch, stream, cores and trees of all kernels; launch, stream, cores, rest of one
};

class GpuDoubt {
 public:
  /// Before anything was measured; `has_tables`: of a device that its own tables told.
  explicit GpuDoubt(bool has_tables);

  void add(const std::string& kernel, const GpuSlopes& slopes, double weight);
  /// Of the logarithm of a time, without what no number tells.
  [[nodiscard]] double variance(const std::string& kernel, const GpuSlopes& slopes) const;

  /// Where a kernel's own numbers stand; it is taken in where it was not known.
  Eigen::Index at(const std::string& kernel);
  /// The eight numbers of a kernel that was taken in.
  [[nodiscard]] std::array<Eigen::Index, 8> places(const std::string& kernel) const;
  [[nodiscard]] const Eigen::MatrixXd& precision() const { return precision_; }

  static constexpr Eigen::Index of_trees = 3, of_all = 4;

 private:
  [[nodiscard]] const std::array<double, 8>& widths() const;
  bool has_tables_;
  std::map<std::string, Eigen::Index> first_;
  Eigen::MatrixXd precision_;
};
}  // namespace sparsecast::forecast
