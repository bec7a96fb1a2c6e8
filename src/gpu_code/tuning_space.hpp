#pragma once
// A tuning space forecast row by row and ranked; where its table has measured times, how good the forecasts were.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "gpu_code/kernel_analysis.hpp"
#include "gpu_code/tuning_table.hpp"

namespace sparsecast::gpu_code {
/// One row: compiled and forecast. `shared` gives arguments and buffers that the row does not; `scalars` are passed
/// over where the kernel has no parameter of that name.
[[nodiscard]] KernelReport forecast_row(const std::filesystem::path& file, const TuningRow& row,
                                        const KernelTimes& times, const AnalysisOptions& options,
                                        const Launch* shared = nullptr,
                                        const std::vector<std::pair<std::string, std::string>>& scalars = {});

/// The report with its overlapped forecasts moved by anchors: those given (which are left out of the summary), or
/// `drawn` configurations at a time out of those with measurements, twenty times; the summary is the draws' mean, a
/// case is from the first draw that left it out. Error usage where an anchor names no row, or too few are left.
[[nodiscard]] KernelTable anchored_report(const KernelTable& report, const std::vector<TuningRow>& rows,
                                          const KernelTimes& times, const std::vector<KernelAnchor>& anchors,
                                          int drawn);

/// `file` is the source (or one PTX for all rows). Compiles `jobs` rows at a time. `shared` as for forecast_row().
[[nodiscard]] KernelTable forecast_tuning_space(const std::filesystem::path& file, const std::vector<TuningRow>& rows,
                                                const KernelTimes& times, const AnalysisOptions& options, int jobs,
                                                const base::ProgressFunction& progress, const Launch* shared = nullptr);
}  // namespace sparsecast::gpu_code
