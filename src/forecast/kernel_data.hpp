#pragma once
// The records of a profile that one kernel is fitted to, as amounts (workload.hpp) and logarithms of seconds. Disturbed
// measurements are left out.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "forecast/learned/kernel_observations.hpp"
#include "forecast/record_set.hpp"

namespace sparsecast::forecast {
struct KernelData {
  Observations observations;
  std::map<std::string, int> families;
  double fastest_rate = 0;  ///< bytes/s of any benchmark matrix
};

/// What a record is filed under: imitations of one real matrix, or benchmark matrices of one recipe, are a family.
[[nodiscard]] std::string family_of(const BenchmarkMatrix& matrix);
/// The matrix's entry in a column that can be left out: "twin_of" or "matrix".
[[nodiscard]] std::string column_of(const BenchmarkMatrix& matrix, const std::string& column);

[[nodiscard]] KernelData kernel_data(const Profile& profile, const RecordSet& records, const std::string& kernel,
                                     const std::function<std::string(const BenchmarkMatrix&)>& family = family_of);
[[nodiscard]] std::vector<std::string> kernels_with_records(const Profile& profile, const RecordSet& records);
}  // namespace sparsecast::forecast
