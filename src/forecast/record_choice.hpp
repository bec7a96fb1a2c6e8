#pragma once
// Which records a forecast rests on: those of the precision that is asked for, or, for single precision where there are
// none, those in double. What a product does follows from the matrix and the bytes of its values; so the costs fitted
// in double are put to the amounts of a product in single, and the interval is widened by what that leaves open.

#include <mutex>

#include "forecast/learned/kernel_fit.hpp"

namespace sparsecast::forecast {
/// The options whose records forecasts for `asked` rest on: the same, or those in double precision for the same
/// threads.
[[nodiscard]] FitOptions records_for(const Profile& profile, const FitOptions& asked);
/// Whether the profile has such records at all.
[[nodiscard]] bool has_records(const Profile& profile, const FitOptions& asked);

/// A feature record's amounts, which are counted in entries of 8 + 4 bytes and x of 8, for values of that precision.
void take_values_of(Precision precision, formats::Workload& workload);

/// Says once, before a fit that takes seconds, that it is made.
class FitAnnouncement {
 public:
  FitAnnouncement(FitNotice notice, const std::string& profile) : notice_(std::move(notice)), profile_(profile) {}
  /// A fit to so many records is about to be made; any thread.
  void before_fit(std::size_t records);

 private:
  FitNotice notice_;
  std::string profile_;
  std::once_flag once_;
};

// The records of a profile that one kernel is fitted to, as amounts (workload.hpp) and logarithms of seconds. Disturbed
// measurements are left out.

struct KernelData {
  Observations observations;
  std::map<std::string, int> families;
  double fastest_rate = 0;  ///< bytes/s of any benchmark matrix
};

/// What a record is filed under: imitations of one real matrix, or benchmark matrices of one recipe, are a family.
[[nodiscard]] std::string family_of(const BenchmarkMatrix& matrix);
/// The matrix's entry in a column that can be left out: "twin_of" or "matrix".
[[nodiscard]] std::string column_of(const BenchmarkMatrix& matrix, const std::string& column);

[[nodiscard]] KernelData kernel_data(const Profile& profile, const FitOptions& options, const std::string& kernel,
                                     const std::function<std::string(const BenchmarkMatrix&)>& family = family_of);
[[nodiscard]] std::vector<std::string> kernels_with_records(const Profile& profile, const FitOptions& options);
}  // namespace sparsecast::forecast
