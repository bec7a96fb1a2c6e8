#pragma once
// One kernel's time over matrices, fitted to benchmark records: physical terms (physical_terms.hpp) times a learned
// residual (the mean of some gaussian_process.hpp), with an interval from held-back families of benchmark matrices.

#include "forecast/learned/extra_trees.hpp"
#include "forecast/learned/gaussian_process.hpp"
#include "forecast/learned/kernel_observations.hpp"
#include "forecast/physical/physical_terms.hpp"

namespace sparsecast::forecast {
/// What a forecast of one kernel needs, and nothing else: small enough to be cached.
struct KernelFit {
  bool longest_row = false;         ///< the physical terms include the longest row
  Eigen::VectorXd parameters;       ///< of the physical terms
  Eigen::MatrixXd features;         ///< of the benchmark matrices, centred, one row each
  Eigen::VectorXd centre;           ///< subtracted from features
  double offset = 0;                ///< of the residual
  ProcessMeans processes;           ///< residual = offset + their mean; none where there is nothing to learn from
  ExtraTrees trees;                 ///< feature records only: a residual of their own over the terms, with
  Eigen::VectorXd tree_parameters;  ///< these parameters; the forecast is the mean of both logarithms
  Eigen::MatrixXd judged_features;  ///< held-back benchmark matrices, and
  Eigen::VectorXd judged_errors;    ///< how far the fit without their family was off there: |log error|
  SharedPoints judged_points;       ///< the same matrices in lengths
  double interval_factor = 0;       ///< 90 % of families lie within so many local errors
  double held_back_error = 0;       ///< mean |log error| of families that it had not seen, each up to the most counted
  Eigen::VectorXd shipped_errors;   ///< log(measured / what ships forecasts here), one an observation; or none

  struct Estimate {
    double physical_log = 0;  ///< log seconds by the physical terms alone
    double log = 0;           ///< log seconds
    double half_width = 0;    ///< 90 % interval: log ± half_width
    bool extrapolated = false;
  };
  /// Both at once; after the processes, in whose lengths (their geometric mean) a judged matrix is near or far.
  void set_judged(Eigen::MatrixXd at, Eigen::VectorXd log_errors);
  [[nodiscard]] Estimate estimate(const Workload& workload, const PhysicalTerms& terms) const;
};

/// Terms with and without the longest row, for one profile.
struct TermChoice {
  PhysicalTerms without, with;
  [[nodiscard]] const PhysicalTerms& operator()(bool longest_row) const { return longest_row ? with : without; }
};

/// Mean of the absolute values, each up to constants::most_counted_error: one odd matrix decides nothing.
[[nodiscard]] double counted_mean(const Eigen::VectorXd& errors);
/// The same where one more error counts that was not seen, of which half of `unseen` is the mean: a few errors that
/// happen to be small say little.
[[nodiscard]] double mean_of_few(const Eigen::VectorXd& errors, double unseen);
/// What nine in ten errors stay below, of which these were seen: their conformal quantile, and at least what is left of
/// the doubt before any was seen, `unseen` / √(n + 1). Where the quantile is the largest of few, one that is
/// constants::odd_error times the median and more was disturbed and counts as that.
[[nodiscard]] double width_of_few(std::vector<double> sizes, double unseen);
/// The k-th smallest with k = ⌈(n + 1)·q⌉, the finite-sample quantile of conformal prediction (Vovk et al. 2005); the
/// largest where n is too small for it. There is at least one value.
[[nodiscard]] double conformal_quantile(std::vector<double> values, double q);

/// Whether there are enough for a residual; else the physical terms stand alone.
[[nodiscard]] bool can_learn_residual(const Observations& observations);

/// Fits one kernel; deterministic.
KernelFit fit_kernel(const Observations& observations, const TermChoice& terms);

/// One fit per family, each as if that family had never been measured: neither the residual, nor the physical terms,
/// nor the covariance, nor the interval has seen it. families: those wanted.
std::vector<KernelFit> fit_kernel_without_each(const Observations& observations, const TermChoice& terms,
                                               const std::vector<int>& families);
}  // namespace sparsecast::forecast
