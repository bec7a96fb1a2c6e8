#pragma once
// Files that Ginkgo's benchmark of products writes (benchmark/spmv; a JSON list with a problem and times for each
// matrix), of both ages: those of 2018 tell nanoseconds and entries, later ones seconds and bytes.

#include "calibration/feature_table.hpp"

namespace sparsecast::calibration {
/// Seconds of a unit of the file's times; told: by the file itself.
enum class TimeUnit { told, seconds, nanoseconds };

/// One record for each matrix and kernel that was completed; others are left out. Error bad_input where it is no such
/// file, or has no time.
std::vector<FeatureRecord> read_ginkgo_results(const std::filesystem::path& file, TimeUnit unit = TimeUnit::told);

/// A table, or such a file where its name ends in .json.
std::vector<FeatureRecord> read_measurements(const std::filesystem::path& file, TimeUnit unit = TimeUnit::told);
}  // namespace sparsecast::calibration
