#pragma once
// What `sparsecast kernel` says of one launch: as a document and as text.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gpu_code/kernel_analysis.hpp"

namespace sparsecast::app {

[[nodiscard]] nlohmann::ordered_json estimates_json(const std::vector<gpu_code::KernelEstimate>& estimates, bool full,
                                                    bool symbolic);
[[nodiscard]] nlohmann::ordered_json report_json(const gpu_code::KernelReport& report, bool symbolic);
/// `overlapped_only`: the paper's models are left to --model.
[[nodiscard]] std::string report_text(const gpu_code::KernelReport& report, bool symbolic,
                                      bool overlapped_only = false);

}  // namespace sparsecast::app
