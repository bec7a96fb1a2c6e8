#pragma once
// What `sparsecast kernel --table` says: every configuration, its interval, and how good the forecasts were.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gpu_code/tuning_space.hpp"

namespace sparsecast::app {

[[nodiscard]] nlohmann::ordered_json table_json(const std::vector<gpu_code::TuningRow>& rows,
                                                const gpu_code::TuningReport& report, const std::string& device);
[[nodiscard]] std::string table_text(const std::vector<gpu_code::TuningRow>& rows,
                                     const gpu_code::TuningReport& report);

}  // namespace sparsecast::app
