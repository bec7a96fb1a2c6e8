#pragma once
// One GPU as the model sees it: what a kernel's start and its counts cost there. By its data sheet these come from
// other devices of its generation, or from its own tables; products that were measured on it move them.

#include <map>
#include <optional>

#include "forecast/machines/gpu_doubt.hpp"
#include "forecast/machines/gpu_model.hpp"

namespace sparsecast::forecast {
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
  /// solvers have. `libraries`: their age (FitOptions); of a device of the tables that of its table where none is told.
  /// The coefficients must outlive the device.
  GpuDevice(const GpuModel& model, DeviceProperties properties, double together, const std::string& libraries = {});

  [[nodiscard]] bool has_tables() const { return known_ != nullptr; }
  /// Of a device without tables only products tell which rules its version of Ginkgo has.
  [[nodiscard]] const GpuStrategy& strategy() const { return strategy_; }
  void set_strategy(const GpuStrategy& strategy) { strategy_ = strategy; }
  [[nodiscard]] std::optional<GpuProduct> product(const Structure& structure, Precision precision,
                                                  const std::string& kernel) const;
  /// The libraries that the product's kernel was learned of; nothing where it is no library's.
  [[nodiscard]] std::optional<std::string> learned_of(const GpuProduct& product) const;
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
  /// What is left of them now tells how far products of this device scatter, beside those of others with anchors.
  void learn_scatter(const std::vector<GpuObservation>& observations);

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
  const GpuModel::Age* age_;
  GpuStrategy strategy_;
  double wait_share_;
  std::map<std::string, Costs> costs_;  ///< that were moved
  std::array<double, 3> shares_{};      ///< of all kernels: launch, stream, cores; moved so far
  double trees_share_ = 1;              ///< of what trees say, that holds here
  double scatter_ = 1;                  ///< over that of devices that were left out
  GpuDoubt doubt_;
};
}  // namespace sparsecast::forecast
