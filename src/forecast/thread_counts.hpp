#pragma once
// Forecasts for any number of threads of the host from the counts that were calibrated: between two of them a time is a
// power of the count, so that what halves with twice the threads does, and what stays does too.

#include <memory>
#include <optional>
#include <sparsecast/forecast.hpp>
#include <vector>

namespace sparsecast::forecast {
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
