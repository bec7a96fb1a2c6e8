#pragma once
// The model that crosses processors: coefficients learned from published measurements of other machines
// (profiles/machine-model.json, written by scripts/refit machines), which forecast a kernel from a Structure and a
// machine's description. For every kernel there are several members, each learned without the imitations of some real
// matrices; a forecast is the mean of those that saw nothing of the matrix, by its name.

#include <sparsecast/forecast.hpp>

#include "forecast/machines/gpu_model.hpp"

namespace sparsecast::forecast {
// The physical part of the model across processors: seconds as positive terms over what a description says. Prices and
// shape are common to all machines; scripts/machine-model/physical.py fits them.

/// A machine in the numbers that terms are prices of.
struct MachineNumbers {
  explicit MachineNumbers(const DeviceProperties& properties);

  double units = 1;       ///< cores
  double clock = 1;       ///< Hz, between the guaranteed and the boosted, as all cores run
  double bandwidth = 1;   ///< bytes/s by the data sheet
  double last_cache = 1;  ///< bytes of all caches of the last level
  double near_cache = 1;  ///< bytes a unit of the level before
  double lanes = 4;       ///< doubles in a vector register

  [[nodiscard]] double core() const { return units * clock; }
  /// Bytes that a repeated product may find in caches.
  [[nodiscard]] double cached() const { return last_cache + units * near_cache; }
};

/// A matrix as one kernel meets it.
struct MatrixNumbers {
  /// `slices`: whose format keeps up to the longest of 32 rows in succession.
  MatrixNumbers(const Structure& structure, Precision precision, bool slices);

  double rows = 1, cols = 1;
  double nonzeros = 1;  ///< with those that the format pads
  double row_mean = 0, row_std = 0, row_skew = 0, longest = 1;
  double lone = 1;     ///< share of non-zeros without a neighbour, as if each had two or none
  double alike = 0;    ///< share with one in the next row
  double span = 0;     ///< from first to last column of a row, over cols
  double window = 8;   ///< bytes of x in that span
  double x_bytes = 8;  ///< all of x
  double stored = 0;   ///< bytes of the format
  double bytes = 1;    ///< with x and y: what a product moves if it moves everything once
};

inline constexpr std::size_t machine_feature_count = 15;
/// Dimensionless ratios of the matrix to the machine, for the learned part.
std::array<double, machine_feature_count> machine_features(const MatrixNumbers& matrix, const MachineNumbers& machine);

inline constexpr std::size_t machine_term_count = 8;
/// Which they are.
inline constexpr std::array<Term, machine_term_count> machine_terms{Term::launch,        Term::stream,      Term::cache,
                                                                    Term::x_from_memory, Term::x_gather,    Term::rows,
                                                                    Term::longest_row,   Term::instructions};

struct MachineTerms {
  std::array<double, machine_term_count> prices{};  ///< logarithms
  /// Steepness (log) and place of the fall out of the cache; the same for x; log powers of irregularity and of the sum;
  /// power of the vector's width.
  std::array<double, 7> shape{};

  struct Sum {
    double seconds = 0;
    std::array<double, machine_term_count> parts{};  ///< add up to seconds
  };
  [[nodiscard]] Sum operator()(const MatrixNumbers& matrix, const MachineNumbers& machine) const;
};

/// 90 % interval of a forecast by data sheet, and of one that a probe has scaled: seconds × exp(…).
struct MachineIntervals {
  std::pair<double, double> sheet, probe;
};

/// What the model says of one kernel on one machine.
struct MachineEstimate {
  double seconds = 0;
  MachineIntervals intervals;
  std::array<double, machine_term_count> parts{};  ///< of the physical part
  std::int64_t stored_bytes = 0;
  double moved_bytes = 0;
  bool stand_in = false;  ///< of another kernel, the nearest that tables have
};

/// What a probe's products tell (below), in logarithms.
struct ProbeNumbers {
  double all = 0, parts = 0;  ///< by how much a machine as a whole can be off, and single parts of its time
  double noise = 0;           ///< what is left
  double carries = 0;         ///< share of what regular matrices tell of a kernel that holds for others
};

class MachineModel {
 public:
  /// Error bad_input, naming `file`, where the document is not what scripts/refit machines writes.
  MachineModel(const nlohmann::ordered_json& document, const std::string& file);
  /// The shipped one; SPARSECAST_MACHINE_MODEL names a file with others, to judge what was trained differently.
  static const MachineModel& current();

  [[nodiscard]] const ProbeNumbers& probe() const { return probe_; }
  /// Kernels that a machine of this kind and vendor runs, fastest to slowest in no order.
  [[nodiscard]] std::vector<std::string> kernels(const DeviceProperties& properties) const;
  /// nullopt where nothing is known of that kernel on machines of that kind.
  [[nodiscard]] std::optional<MachineEstimate> estimate(const Structure& structure, const DeviceProperties& properties,
                                                        const std::string& kernel, Precision precision) const;

 private:
  struct Member {
    MachineTerms terms;
    SumOfTrees trees;
    SumOfTrees multiple;  ///< of the kernel that this one is also told as a multiple of, logarithms
  };
  struct Kernel {
    std::string name;
    bool slices = false;               ///< as of MatrixNumbers
    bool deals_rows = false;           ///< every thread as many rows
    std::string multiple_of;           ///< a kernel of the same machines; empty: none
    std::vector<std::string> vendors;  ///< whose machines run it; empty: all
    double physical_share = 1;         ///< of the logarithm of the terms
    MachineIntervals intervals;
    std::vector<Member> members;  ///< one per fold of families
  };
  [[nodiscard]] const Kernel* find(const std::string& name) const;
  [[nodiscard]] static Kernel kernel_of(const nlohmann::ordered_json& entry);
  void require_bases() const;
  struct Told {
    double log_seconds = 0;
    std::array<double, machine_term_count> parts{};
  };
  [[nodiscard]] Told told(const Kernel& kernel, std::size_t member, const MatrixNumbers& matrix,
                          const MatrixNumbers& plain, const MachineNumbers& machine) const;

  std::vector<Kernel> kernels_;
  double roof_ = 0;  ///< least share of the bytes beyond the caches that are read at the data sheet's bandwidth
  ProbeNumbers probe_;
  std::map<std::string, std::size_t> folds_;  ///< of imitated matrices
  std::map<std::string, std::string> own_;    ///< this program's kernels: the nearest of the tables'
};

// Forecasts for a machine of which little or nothing was measured: the tiers "data sheet" and "probe".

// What a probe's few products tell of a machine: by how much each kernel is off there, and how that goes with where the
// time goes.

/// log(measured / forecast by data sheet) over what the time is spent on, held near zero where little was measured.
class ProbeScale {
 public:
  static constexpr int terms = 4;  ///< everything; the stream; starting; x and rows

  /// Nothing measured: 0 everywhere.
  ProbeScale() = default;
  ProbeScale(const ProbeNumbers& numbers, const std::vector<MachineEstimate>& estimates,
             const std::vector<double>& measured_s);
  [[nodiscard]] double log_correction(const MachineEstimate& estimate) const;

 private:
  double carries_ = 0;
  Eigen::Matrix<double, terms, 1> weights_ = Eigen::Matrix<double, terms, 1>::Zero();
};

/// The name under which these forecasts stand beside those of model_names().
inline constexpr const char* described_model_name = "machines";

/// Error bad_input where the profile's description lacks a number that forecasts need. The coefficients must outlive
/// the model.
std::unique_ptr<FittedModel> fit_described_model(const Profile& profile, const FitOptions& options,
                                                 const MachineModel& coefficients = MachineModel::current());

/// Kernels that such a profile can be asked for: those measured, else those of the description's kind and vendor.
std::vector<std::string> described_kernels(const Profile& profile,
                                           const MachineModel& coefficients = MachineModel::current());

// Of GPUs, by one of three levels: the data sheet; some products measured there ("anchors" or a probe), which move its
// costs; a table of hundreds, over which trees are grown for each kernel.

/// The profile's tier says which level. The coefficients must outlive the model.
std::unique_ptr<FittedModel> fit_gpu_model(const Profile& profile, const FitOptions& options,
                                           const GpuModel& coefficients = GpuModel::current());
}  // namespace sparsecast::forecast
