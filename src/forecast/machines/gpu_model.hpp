#pragma once
// What was learned of GPUs from published tables (profiles/gpu-model.json, written by scripts/refit gpus): how long
// starting a kernel takes, prices of counts, shares that measured devices reach of their data sheets, and trees over
// what is left. No measured time is in it.

#include <map>
#include <nlohmann/json_fwd.hpp>

#include "forecast/learned/sum_of_trees.hpp"
#include "forecast/machines/decade_intervals.hpp"
#include "forecast/machines/gpu_product.hpp"

namespace sparsecast::forecast {
class GpuModel {
 public:
  /// Error bad_input, naming `file`, where the document is not what scripts/refit writes.
  GpuModel(const nlohmann::ordered_json& document, const std::string& file);
  /// The shipped one; SPARSECAST_GPU_MODEL names a file with others, to judge what was learned without a device.
  static const GpuModel& current();

  /// One kernel of the tables and what is known of it on devices of each generation.
  struct Kernel {
    GpuKernel does;
    std::array<std::array<double, gpu_counts>, gpu_generations> prices{};  ///< logarithms
    /// Of one launch and its wait, on NVIDIA's devices and AMD's: what a kernel allocates in each product costs unlike.
    std::array<double, 2> multiples{1, 1};
    std::string learned_of;  ///< the libraries that its tables had: "cuSPARSE of 2018"
    double seconds = 0;      ///< instead, where the library takes its own time whatever the device: 0: it does not
  };
  /// What the tables of one device told.
  struct Known {
    double stream = 0, cores = 0;          ///< log shares of bandwidth and clock
    std::map<std::string, double> floors;  ///< seconds
    double launch = 0;                     ///< one, as those floors are multiples of it; 0: there are none
    std::map<std::string, DecadeIntervals> intervals;
    GpuStrategy strategy;
    std::string age;  ///< of the libraries that its table had; empty: today's
  };
  /// Older libraries of a vendor's devices: their rules, and names that stood for other kernels.
  struct Age {
    std::string vendor;
    GpuStrategy strategy;
    std::map<std::string, std::string> kernels;
  };
  /// A launch, and the wait that older programs measured with each product.
  struct Launch {
    double start = 0, wait = 0;
  };

  /// That of the tables, or the nearest to a kernel of this program; nullptr: nothing is known of it.
  [[nodiscard]] const Kernel* kernel(const std::string& name) const;
  /// Kernels that such a device runs.
  [[nodiscard]] std::vector<std::string> kernels(const DeviceProperties& properties) const;
  [[nodiscard]] const Known* known(const std::string& device) const;
  /// Seconds of the kernel's start as that device's table has it, or where there is none the least that any has; 0: no
  /// table tells.
  [[nodiscard]] double least_start(const std::string& kernel, const std::string& device) const;
  /// nullptr: today's, or none that the vendor's devices had.
  [[nodiscard]] const Age* age(const std::string& name, const std::string& vendor) const;
  /// The rules usual on each generation, and others that tables show.
  [[nodiscard]] const std::vector<GpuStrategy>& strategies() const { return strategies_; }
  [[nodiscard]] const Launch& launch(GpuGeneration generation) const;
  [[nodiscard]] const SumOfTrees& trees() const { return trees_; }
  /// Of what trees say, that holds for devices without tables.
  [[nodiscard]] double share_for_others() const { return share_for_others_; }
  /// Of a kernel on a device that nobody measured, and where two dozen matrices were: what the errors of that kernel on
  /// devices left out reach, widened by how few of the vendor's these are; of a kernel that was judged on none, by
  /// those of its namesake in another age, or of others.
  [[nodiscard]] const DecadeIntervals& by_data_sheet(const std::string& kernel, GpuGeneration generation) const;
  [[nodiscard]] const DecadeIntervals& by_anchors(const std::string& kernel, GpuGeneration generation) const;
  /// Correlation of what forecasts of one matrix on two devices are off by.
  [[nodiscard]] double alike_machines() const { return alike_machines_; }

 private:
  std::map<std::string, Kernel> kernels_;
  std::map<std::string, std::string> own_;
  std::map<std::string, Known> devices_;
  std::vector<GpuStrategy> strategies_;
  std::array<Launch, 2> launches_{};  ///< NVIDIA's, AMD's
  SumOfTrees trees_;
  double share_for_others_ = 1, alike_machines_ = 0;
  std::map<std::string, Age> ages_;
  /// On NVIDIA's devices and AMD's by kernel; of others: the empty name.
  std::array<std::map<std::string, DecadeIntervals>, 2> by_data_sheet_, by_anchors_;
};
}  // namespace sparsecast::forecast
