#pragma once
// How good forecasts were beside measurements.

#include <sparsecast/kernel_forecast.hpp>
#include <string>
#include <vector>

namespace sparsecast::gpu_code {
/// Spearman's rank correlation; equal values share their mean rank.
[[nodiscard]] double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);
[[nodiscard]] ModelErrors summarize(const std::string& model, const std::vector<double>& forecast,
                                    const std::vector<double>& measured);
}  // namespace sparsecast::gpu_code
