#pragma once
// Forecasts of what a profile has no times of: several vectors at once, and the transposed product. They are made from
// the forecast of y = A·x on the host, by what changes in its terms:
//
// - several vectors, kernels that read the matrix once: the matrix is streamed once and x and y for every vector, each
//   entry multiplies as many registers as the vectors fill;
// - several vectors, other kernels: so many products, and every vector copied out of the block and back;
// - transposed: every entry is added to its place in y, which is read and written; several threads have pieces of y of
//   their own, which are set to 0 and summed.
//
// Nothing here is fitted: the intervals are wider for it.

#include "hardware/device.hpp"
#include "forecast/physical/workload.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::forecast {
class TaskForecast {
 public:
  /// Error unavailable for a task that devices other than the host do not have.
  TaskForecast(const Profile& profile, const FitOptions& options, const ProductKind& task);

  /// That of y = A·x turned into that of the task; nullopt where the kernel has no such product. y = A·x itself stays
  /// as it is.
  [[nodiscard]] std::optional<Forecast> of(Forecast plain, const Structure& structure) const;
  /// All of them, fastest first.
  [[nodiscard]] std::vector<Forecast> of(std::vector<Forecast> plain, const Structure& structure) const;

 private:
  struct Amounts;
  [[nodiscard]] double stream_seconds(double bytes) const;
  void block(Amounts& amounts, const Structure& structure, bool reads_once) const;
  void transpose(Amounts& amounts, const Structure& structure, const formats::KernelInfo& kernel) const;

  const Profile& profile_;
  FitOptions options_;
  ProductKind task_;
  CoreCosts core_;
};

// Forecasts for any number of threads of the host from the counts that were calibrated: between two of them a time is a
// power of the count, so that what halves with twice the threads does, and what stays does too.

/// Numbers of threads that the profile has records of for such a forecast, ascending.
[[nodiscard]] std::vector<int> measured_counts(const Profile& profile, const FitOptions& options);

/// The counts on either side of one that was not measured.
struct CountsAround {
  int below = 1, above = 1;
};
/// Nothing where the count was measured or lies outside of those that were.
[[nodiscard]] std::optional<CountsAround> counts_around(const Profile& profile, const FitOptions& options);

/// The model for options.threads between those. Its interval holds both neighbours' and a part of what lies between
/// them, most in the middle: an assumption, as no machine with more than two cores has been calibrated.
[[nodiscard]] std::unique_ptr<FittedModel> fit_between(const std::string& model, const Profile& profile,
                                                       const FitOptions& options, const CountsAround& around);

/// The counts worth comparing up to the most that was measured: all up to eight, then those between which the time
/// changes by little, and the measured ones.
[[nodiscard]] std::vector<int> counts_to_compare(const std::vector<int>& measured);
}  // namespace sparsecast::forecast
