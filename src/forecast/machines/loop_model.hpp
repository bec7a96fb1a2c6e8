#pragma once
// Forecasts of processors on any number of threads by loop_terms.hpp, with intervals as wide as machines that were left
// out of the learning missed on so many threads and in that decade of sizes. A part of profiles/machine-model.json.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "forecast/machines/decade_intervals.hpp"
#include "forecast/machines/loop_terms.hpp"

namespace sparsecast::forecast {
/// What loops say of one kernel on one machine.
struct LoopEstimate {
  MachineTerms::Sum sum;
  DecadeIntervals::Width sheet, anchors;  ///< by description alone, and with products measured there, without doubt
  double doubt = 0;                       ///< on each side of both, of what lies beyond all tables
  bool extrapolated = false;              ///< more threads, sockets or entries than any table has
  std::int64_t stored_bytes = 0;
  double moved_bytes = 0;
};

class LoopModel {
 public:
  LoopModel() = default;
  /// Json::exception and Error where the section is not what scripts/refit machines writes.
  explicit LoopModel(const nlohmann::ordered_json& section);

  /// nullopt for a kernel that no table has.
  [[nodiscard]] std::optional<LoopEstimate> estimate(const Structure& structure, const DeviceProperties& properties,
                                                     const std::string& kernel, Precision precision, int threads,
                                                     Places places) const;

 private:
  struct Widths {
    DecadeIntervals sheet, anchors;
  };
  struct Kernel {
    std::string name;
    bool slices = false;
    LoopPrices prices;
    Widths one, many;  ///< threads
  };
  std::vector<Kernel> kernels_;
};
}  // namespace sparsecast::forecast
