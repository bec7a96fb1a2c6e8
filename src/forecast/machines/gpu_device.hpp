#pragma once
// One GPU as the model sees it: what a kernel's start and its counts cost there. By its data sheet these come from
// other devices of its generation, or from its own tables; products that were measured on it move them.

#include <Eigen/Dense>
#include <array>
#include <map>
#include <optional>
#include <sparsecast/device.hpp>
#include <string>
#include <vector>

#include "forecast/machines/gpu_model.hpp"

namespace sparsecast::forecast {
// How sure the numbers are that a GPU is forecast by: normal about what they are taken for, all kernels alike and one
// beside the others. Each product that was measured tells of launch, stream and cores by their shares of its time.

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

/// One product that was measured on the device.
struct GpuObservation {
  const GpuProduct* product = nullptr;
  double seconds = 0;
};

/// What a product tells of the device, whatever its time.
struct GpuTold {
  std::string kernel;
  GpuSlopes slopes;
};

class GpuDevice {
 public:
  /// `together`: products that a time is of that are started one after the other and waited for once; 0: as many as
  /// solvers have. The coefficients must outlive the device.
  GpuDevice(const GpuModel& model, DeviceProperties properties, double together);

  [[nodiscard]] bool has_tables() const { return known_ != nullptr; }
  /// Of a device without tables only products tell which rules its version of Ginkgo has.
  [[nodiscard]] const GpuStrategy& strategy() const { return strategy_; }
  void set_strategy(const GpuStrategy& strategy) { strategy_ = strategy; }
  [[nodiscard]] std::optional<GpuProduct> product(const Structure& structure, Precision precision,
                                                  const std::string& kernel) const;
  [[nodiscard]] GpuBase base(const GpuProduct& product) const;
  /// log(time / base) by the trees, and what is left of a kernel's measured times, in the mean.
  [[nodiscard]] double learned(const GpuProduct& product, const GpuBase& base) const;
  /// 90 % interval of log(measured / forecast): of its own tables, or between that of data sheets and that of two dozen
  /// matrices, by what products have told so far, and would tell that are supposed `also` to be measured.
  [[nodiscard]] DecadeIntervals::Width interval(const GpuProduct& product, double nonzeros,
                                                const std::vector<GpuTold>& also = {}) const;
  [[nodiscard]] GpuSlopes slopes(const GpuProduct& product) const;

  /// Moves floors and prices to what was measured, as far as so many products can tell. `with_trees`: beside them, else
  /// instead of them.
  void learn(const std::vector<GpuObservation>& observations, bool with_trees);

 private:
  struct Costs {
    double floor = 0;                         ///< log seconds
    std::array<double, gpu_counts> prices{};  ///< logarithms
    double offset = 0;
  };
  [[nodiscard]] Costs first_costs(const std::string& kernel) const;
  [[nodiscard]] Costs costs(const std::string& kernel) const;
  [[nodiscard]] double offset(const std::string& kernel) const;
  [[nodiscard]] double by_trees(const GpuProduct& product, const GpuBase& base) const;
  void step(const std::vector<GpuObservation>& observations, const std::vector<double>& by_trees);

  const GpuModel& model_;
  DeviceProperties properties_;
  GpuNumbers numbers_;
  const GpuModel::Known* known_;
  GpuStrategy strategy_;
  double wait_share_;
  std::map<std::string, Costs> costs_;  ///< that were moved
  std::array<double, 3> shares_{};      ///< of all kernels: launch, stream, cores; moved so far
  double trees_share_ = 1;              ///< of what trees say, that holds here
  GpuDoubt doubt_;
};
}  // namespace sparsecast::forecast
