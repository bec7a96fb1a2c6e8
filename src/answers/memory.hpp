#pragma once
// What products that were measured here before say of a matrix: the same pattern is answered from them, and what is
// measured now is kept.

#include <sparsecast/answers/request.hpp>
#include <sparsecast/forecast.hpp>
#include <sparsecast/plan.hpp>
#include <string>
#include <vector>

#include "calibration/measure.hpp"
#include "calibration/observations.hpp"

namespace sparsecast::answers {
/// One matrix and one kind of product on one device. Thread safety: as a value.
class Memory {
 public:
  Memory() = default;  ///< remembers nothing
  /// `strategy`s and forecasts are of that device, precision and number of threads. A device that is not here has no
  /// memory. One remark where the file cannot be used.
  Memory(const Matrix& matrix, const std::string& device, const ProductKind& product, int threads,
         const Listener& listener);

  [[nodiscard]] bool empty() const { return observed_.empty(); }
  /// Whether trials, or a measuring of every kernel, came to their end: what they left to win.
  [[nodiscard]] std::optional<double> settled() const;
  /// "3 days ago", of the newest.
  [[nodiscard]] std::string when() const;

  /// Forecasts of what was observed are that, in the tier "observed"; fastest first.
  void apply(std::vector<Forecast>& forecasts) const;
  /// The same of a strategy's single kernels, and what follows for the plan. Where everything was tried, `trials` says
  /// when.
  void apply(Strategy& strategy, bool tells_trials) const;

  /// What was measured now. `all`: every kernel that may win.
  void keep(const TrialReport& trials, const Listener& listener) const;
  void keep(const std::vector<calibration::Measurement>& measurements, bool all, const Listener& listener) const;

 private:
  [[nodiscard]] const calibration::Observation* find(const std::string& kernel) const;
  [[nodiscard]] calibration::Observation observation(const std::string& kernel, double seconds) const;
  void add(std::vector<calibration::Observation> observations, const Listener& listener) const;

  std::optional<Matrix> matrix_;  // shares its storage
  calibration::ObservedTask task_;
  std::vector<calibration::Observation> observed_;
};

/// The plan of a strategy by what is remembered, with trials where they are asked for and were not made before. What
/// they gave is kept.
[[nodiscard]] Plan plan_from(const Matrix& matrix, Strategy strategy, const TrialOptions& trials, const Memory& memory,
                             const Listener& listener);
}  // namespace sparsecast::answers
