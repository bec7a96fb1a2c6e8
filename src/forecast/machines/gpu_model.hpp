#pragma once
// What was learned of GPUs from published tables (profiles/gpu-model.json, written by scripts/refit gpus): how long
// starting a kernel takes, prices of counts, shares that measured devices reach of their data sheets, and trees over
// what is left. No measured time is in it.

#include <Eigen/Dense>
#include <optional>
#include <sparsecast/device.hpp>
#include <sparsecast/structure.hpp>
#include <sparsecast/terms.hpp>

#include "forecast/learned/extra_trees.hpp"

namespace sparsecast::forecast {
// A product on a GPU in numbers: what a kernel does, what of the matrix and of the description it depends on, and the
// three counts whose prices make up its time. scripts/machine-model/gpus.py computes the same when it learns.

/// Who multiplies a row: a thread, the threads of a warp, or whoever a search over the non-zeros gives it to.
enum class GpuWork { threads, warps, search, merge };
enum class GpuLayout { csr, ell, sell, hyb, coo };
enum class GpuLibrary { other, ginkgo, cusparse, rocsparse };
enum class GpuGeneration { kepler, volta, amd };
inline constexpr std::size_t gpu_generations = 3;

/// What a kernel does.
struct GpuKernel {
  std::string name;
  GpuWork work = GpuWork::warps;
  GpuLayout layout = GpuLayout::csr;
  GpuLibrary library = GpuLibrary::other;
  double number = 0;                      ///< its place in the table of kernels, as trees see it
  std::vector<std::string> vendors = {};  ///< whose devices run it; empty: all
  double last_capability = 0;             ///< NVIDIA: the newest compute capability that has it; 0: all
};

/// The rules of a version of Ginkgo: automatic CSR balances loads where a row is longer, or non-zeros are more than
/// this and is classical elsewhere; ELL gives rows of wide matrices to several threads.
struct GpuStrategy {
  double row = 0, all = 0;
  bool wide = true;
  bool operator==(const GpuStrategy&) const = default;
};

/// A description in the numbers that counts are over.
struct GpuNumbers {
  explicit GpuNumbers(const DeviceProperties& properties);

  double units = 1, clock = 1, bandwidth = 1, cache = 1, warp = 32;
  /// Which of the measured ones it is nearest to: NVIDIA's before and since additions of doubles in memory (compute
  /// capability 6.0), AMD's.
  GpuGeneration generation = GpuGeneration::volta;
};

inline constexpr std::size_t gpu_counts = 3, gpu_features = 28;
inline constexpr std::array<Term, gpu_counts + 1> gpu_terms{Term::launch, Term::stream, Term::longest_row, Term::rows};

/// One matrix as one kernel of one device meets it.
struct GpuProduct {
  GpuProduct(const Structure& structure, Precision precision, const GpuKernel& does, const GpuNumbers& numbers,
             const GpuStrategy& strategy);

  std::string kernel;                     ///< that runs: the one asked for, or what automatic CSR chooses
  double stored = 0, moved = 0;           ///< bytes of the format; with x and y, without what no thread reads
  double roof = 0;                        ///< seconds that non-zeros which no cache holds take at the bandwidth
  std::array<double, gpu_counts> counts;  ///< seconds at a price of 1: stream, steps along a row, threads
  /// Ratios, and how a start of `floor` seconds and the counts share a time of `base` seconds.
  [[nodiscard]] std::array<double, gpu_features> features(double floor, double base) const;

 private:
  double rows_ = 1, cols_ = 1, nonzeros_ = 1, mean_ = 1, longest_ = 1, cv_ = 0, slots_ = 1, split_ = 0, lanes_ = 1,
         steps_ = 1, threads_ = 1, entry_ = 12;
  std::array<double, 4> quartiles_{};  ///< log of the row lengths at 0, ¼, ½ and ¾ of the rows
  GpuWork work_;
  GpuLayout layout_;
  double number_;
  GpuNumbers numbers_;
};

/// 90 % interval of log(measured / forecast), by decade of non-zeros from 10³ to 10⁷; what is beyond is as the last.
struct DecadeIntervals {
  struct Width {
    double low = -1, high = 1;
  };
  static constexpr std::size_t decades = 5;
  std::array<Width, decades> widths{};
  [[nodiscard]] static std::size_t decade_of(double nonzeros);
  [[nodiscard]] const Width& at(double nonzeros) const { return widths[decade_of(nonzeros)]; }
};

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
    double multiple = 1;                                                   ///< of one launch and its wait
    double seconds = 0;  ///< instead, where the library takes its own time whatever the device: 0: it does not
  };
  /// What the tables of one device told.
  struct Known {
    double stream = 0, cores = 0;          ///< log shares of bandwidth and clock
    std::map<std::string, double> floors;  ///< seconds
    double launch = 0;                     ///< one, as those floors are multiples of it; 0: there are none
    std::map<std::string, DecadeIntervals> intervals;
    GpuStrategy strategy;
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
  /// The rules usual on each generation, and others that tables show.
  [[nodiscard]] const std::vector<GpuStrategy>& strategies() const { return strategies_; }
  [[nodiscard]] const Launch& launch(GpuGeneration generation) const;
  [[nodiscard]] const SumOfTrees& trees() const { return trees_; }
  /// Of what trees say, that holds for devices without tables.
  [[nodiscard]] double share_for_others() const { return share_for_others_; }
  [[nodiscard]] const DecadeIntervals& by_data_sheet() const { return by_data_sheet_; }
  [[nodiscard]] const DecadeIntervals& by_anchors() const { return by_anchors_; }
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
  DecadeIntervals by_data_sheet_, by_anchors_;
};

// One GPU as the model sees it: what a kernel's start and its counts cost there. By its data sheet these come from
// other devices of its generation, or from its own tables; products that were measured on it move them.

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
