#pragma once
// The model that crosses processors: coefficients learned from published measurements of other machines
// (profiles/machine-model.json, written by scripts/refit machines), which forecast a kernel from a Structure and a
// machine's description. For every kernel there are several members, each learned without the imitations of some real
// matrices; a forecast is the mean of those that saw nothing of the matrix, by its name.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "forecast/learned/sum_of_trees.hpp"
#include "forecast/machines/loop_model.hpp"
#include "forecast/machines/machine_terms.hpp"

namespace sparsecast::forecast {
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
  bool stand_in = false;      ///< of another kernel, the nearest that tables have
  double of_loops = 0;        ///< share of it that loops say
  bool extrapolated = false;  ///< beyond what any table tells of
};

/// What a probe's products tell (probe_scale.hpp), in logarithms.
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
  /// What speaks of any number of threads, and of matrices of which nobody tells where entries lie.
  [[nodiscard]] const LoopModel& loops() const { return loops_; }
  /// The kernel of the tables that is asked for this one: itself, or the nearest to one of this program.
  [[nodiscard]] std::string standing(const std::string& kernel) const;
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
  LoopModel loops_;
  double roof_ = 0;  ///< least share of the bytes beyond the caches that are read at the data sheet's bandwidth
  ProbeNumbers probe_;
  std::map<std::string, std::size_t> folds_;  ///< of imitated matrices
  std::map<std::string, std::string> own_;    ///< this program's kernels: the nearest of the tables'
};
}  // namespace sparsecast::forecast
