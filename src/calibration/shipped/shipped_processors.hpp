#pragma once
// What ships of processors that were calibrated (profiles/host-model.json, by scripts/refit host): each one's
// description and curves, and what a model was fitted to there, as text that the model reads (forecast/shipped).

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <sparsecast/profile.hpp>

namespace sparsecast::calibration {
struct ShippedProcessor {
  DeviceProperties properties;
  std::string software, taken;
  std::vector<Curve> curves;
  std::vector<std::string> kernels;
  std::map<int, std::string> fits;  ///< of those kernels, by number of threads
};

/// Read once. SPARSECAST_HOST_MODEL=FILE takes another document. Error bad_input where it is none.
[[nodiscard]] const std::vector<ShippedProcessor>& shipped_processors();

[[nodiscard]] std::vector<ShippedProcessor> processors_from_json(const nlohmann::ordered_json& document,
                                                                 const std::string& file);
[[nodiscard]] nlohmann::ordered_json processors_to_json(const std::vector<ShippedProcessor>& processors);

/// The number of threads of its calibration that tells most of another: one of one, of several the greatest.
[[nodiscard]] int shipped_threads(const ShippedProcessor& processor, int threads);
}  // namespace sparsecast::calibration
