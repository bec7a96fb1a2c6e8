#pragma once
// What products of alike patterns say of a forecast. A user's matrices come in families (time steps, refinements, parts
// of one domain), of which a model errs alike: by how much is learned from those that were measured, each counting by
// its likeness and its age. Where few are alike, or their errors scatter, the forecast stays as it is.

#include <optional>

#include "calibration/observations.hpp"

namespace sparsecast::calibration {
/// log(seconds / forecast) that is expected of a kernel, and its deviation.
struct ForecastError {
  double mean = 0, deviation = 0;
};

/// Thread safety: as a value.
class Neighbours {
 public:
  Neighbours() = default;
  /// Of a pattern with these features; `around`: Observations::around().
  Neighbours(const std::vector<double>& features, const std::vector<Observation>& around);

  [[nodiscard]] bool empty() const { return seen_.empty(); }
  /// Of a forecast whose own error of log(seconds) deviates by `deviation`; nothing where no alike pattern was
  /// multiplied by that kernel.
  [[nodiscard]] std::optional<ForecastError> error_of(const std::string& kernel, double deviation) const;
  /// "3 alike patterns (a, b, c), measured here yesterday to 9 days ago": the nearest first; empty where there are
  /// none.
  [[nodiscard]] std::string text() const;

 private:
  struct Seen {
    std::string kernel, pattern, matrix;
    double log_error, weight, days;
  };
  std::vector<Seen> seen_;  // the nearest first
};

/// Days since an observation was taken; the sign of a clock that was set back does not matter.
[[nodiscard]] double days_since(const std::string& taken);
/// "today", "yesterday", "3 days ago".
[[nodiscard]] std::string days_ago(double days);
}  // namespace sparsecast::calibration
