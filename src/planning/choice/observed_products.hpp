#pragma once
// Observed products: what was measured here before of a matrix, or of matrices like it. A matrix of the same pattern is
// answered from them, those of alike patterns move its forecasts, and what is measured now is kept. Whoever forecasts
// or plans for a device of this machine (plan, predict, compare, solve, measure) asks here.

#include <optional>
#include <sparsecast/plan.hpp>
#include <sparsecast/progress.hpp>

#include "calibration/measurement.hpp"
#include "calibration/neighbours.hpp"
#include "calibration/observations.hpp"

namespace sparsecast::planning {
/// One matrix and one kind of product on one device. Thread safety: as a value.
class ObservedProducts {
 public:
  ObservedProducts() = default;  ///< none
  /// Looks at the device and opens the file, once in a process: no part of planning.
  static void prepare(const std::string& device, const Listener& listener);
  /// `strategy`s and forecasts are of that device, precision and number of threads. Of a device that is not here
  /// nothing was observed. One remark where the file cannot be used.
  ObservedProducts(const Matrix& matrix, const std::string& device, const ProductKind& product, int threads,
                   const Listener& listener, const std::string& pattern = {});

  /// The pattern's checksum, where anything was asked for; the next ObservedProducts of the same matrix takes it.
  [[nodiscard]] const std::string& pattern() const { return like_.pattern; }
  /// What is kept from now on was chosen among forecasts for up to so many threads.
  void among(int threads) { like_.compared = threads; }
  [[nodiscard]] int compared() const;

  /// The plan, without a model: where trials came to their end and a single kernel is the best.
  [[nodiscard]] std::optional<Strategy> known_plan(const StrategyOptions& wanted, bool tells_trials);

  /// What is kept from now on has this structure's features.
  ObservedProducts& of(const Structure& structure);
  /// From now on forecasts of the product's own models for these options are moved by what alike patterns took, as far
  /// as those were measured after the records that the models were fitted to.
  void look_around(const Structure& structure, const Profile& profile, const FitOptions& fit, const Listener& listener);

  [[nodiscard]] bool empty() const { return observed_.empty(); }
  /// Whether trials, or a measuring of every kernel, came to their end: what they left to win.
  [[nodiscard]] std::optional<double> settled() const;
  /// "3 days ago", of the newest.
  [[nodiscard]] std::string when() const;
  [[nodiscard]] std::string neighbours() const { return neighbours_.text(); }

  /// Forecasts of what was observed are that, in the tier observed; fastest first.
  void apply(std::vector<Forecast>& forecasts) const;
  /// The same of a strategy's single kernels, and what follows for the plan. Where everything was tried, `trials` says
  /// when.
  void apply(Strategy& strategy, bool tells_trials);

  /// What was measured now. `all`: every kernel that may win.
  void keep(const TrialReport& trials, const Listener& listener) const;
  void keep(const std::vector<calibration::Measurement>& measurements, bool all, const std::vector<Forecast>& forecasts,
            const Listener& listener);

 private:
  struct Told {
    double seconds = 0, low_s = 0, high_s = 0;
  };
  /// What is known of a kernel's product, beside what the models say of it.
  [[nodiscard]] Told told(const std::string& kernel, Told models) const;
  [[nodiscard]] const calibration::Observation* find(const std::string& kernel) const;
  [[nodiscard]] calibration::Observation observation(const std::string& kernel, double seconds) const;
  void add(std::vector<calibration::Observation> observations, const Listener& listener) const;
  void carry_out(Strategy& strategy, double planned_s) const;

  std::optional<Matrix> matrix_;   // shares its storage
  calibration::Observation like_;  // the matrix and the task, of which nothing was measured yet; no machine: not here
  std::vector<calibration::Observation> observed_;
  calibration::Neighbours neighbours_;
  std::map<std::string, double, std::less<>> forecast_;  // of the models alone, by kernel
};

/// Whether the profile was measured on a device of this machine, whose products are observed.
[[nodiscard]] bool is_here(const Profile& profile);

/// What is known of a matrix on a device of this machine, ready to be applied to forecasts of the product's own models
/// for these options. Nothing for other devices, and of a matrix that is known by its structure alone (no rows).
[[nodiscard]] ObservedProducts observed_here(const Matrix& matrix, const Structure& structure, const Profile& profile,
                                             const FitOptions& fit, const ProductKind& product,
                                             const Listener& listener);
}  // namespace sparsecast::planning
