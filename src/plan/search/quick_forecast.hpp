#pragma once
// A forecast that costs half a microsecond: the physical terms of forecast/physical/physical_terms.hpp times a
// correction, at most quadratic in the features of forecast/learned/residual_features.hpp, fitted to the same records
// as the full model. It compares blocks of one matrix, of which there are thousands; what the whole matrix takes is the
// full model's word (planner.cpp).
//
// Reads of x that miss a cache are those of the whole matrix, dealt to blocks by their runs of adjacent columns: blocks
// are multiplied one after the other with the same x.

#include <Eigen/Core>
#include <memory>
#include <sparsecast/forecast.hpp>
#include <string>
#include <vector>

#include "forecast/learned/kernel_fit.hpp"
#include "forecast/physical/conversion.hpp"
#include "forecast/physical/x_misses.hpp"
#include "forecast/record_choice.hpp"
#include "formats/kernels.hpp"
#include "plan/search/strip_sums.hpp"

namespace sparsecast::planning {

/// Rows of a matrix with what two formats would pad them to.
struct BlockContent {
  StripContent sums;
  double hyb_width = 0, hyb_overflow = 0;
};

/// How the matrix that a block is part of reads x.
struct Gathering {
  double cols = 0;
  forecast::MissShares misses;
  double runs_per_nonzero = 1;
};

class QuickForecast {
 public:
  /// Kernels with too few records in that precision (record_choice.hpp) and thread count are left out. Fits are kept in
  /// the home folder beside the full model's (forecast/learned/fit_cache.hpp).
  QuickForecast(const Profile& profile, const FitOptions& options);

  [[nodiscard]] const std::vector<std::string>& kernels() const { return names_; }
  /// Index into kernels(), −1 where it is not there.
  [[nodiscard]] int find(const std::string& kernel) const;

  /// The kernel's row of the table of kernels.
  [[nodiscard]] const formats::KernelInfo& info(int kernel) const { return *infos_[static_cast<std::size_t>(kernel)]; }

  /// Seconds of rows like these, `times` as many of them; `slots` entries are gone through (nonzeros where the format
  /// does not pad).
  [[nodiscard]] double seconds(int kernel, const StripContent& rows, double times, const Gathering& gathering,
                               double slots) const;
  /// What a product costs however small it is.
  [[nodiscard]] double launch(int kernel) const { return fits_[static_cast<std::size_t>(kernel)].launch; }
  /// Entries that the kernel goes through on these rows as one block.
  [[nodiscard]] double slots(int kernel, const BlockContent& block) const;
  /// Bytes of the format.
  [[nodiscard]] double bytes(int kernel, const StripContent& rows, double slots) const;
  /// 0 where the profile does not tell.
  [[nodiscard]] double conversion_seconds(int kernel, const StripContent& rows, double slots) const;
  /// Whether that holds of every block that `other` converts as well.
  [[nodiscard]] bool converts_for_less(int kernel, int other) const;
  /// Standard deviation of the error of log(time of a / time of b), over families of benchmark matrices held back.
  [[nodiscard]] double disagreement(int a, int b) const { return disagreement_(a, b); }
  /// Median |log error| over families held back.
  [[nodiscard]] double error(int kernel) const { return fits_[static_cast<std::size_t>(kernel)].error; }

 private:
  struct Fit {
    std::unique_ptr<forecast::PhysicalTerms> terms;
    Eigen::VectorXd parameters;
    Eigen::VectorXd centre, scale, low, high;  // of the features; what is outside is held at the edge
    Eigen::VectorXd weights;                   // of the quadratic
    double launch = 0, error = 0;
    Eigen::VectorXd held_back;  // log errors of the records
    std::vector<int> matrices;  // whose they are
  };
  static void choose_correction(const Eigen::MatrixXd& design, Eigen::Index features, const Eigen::VectorXd& y,
                                const std::vector<int>& families, Fit& fit);
  static void fit_correction(const forecast::Observations& seen, const Eigen::VectorXd& y, Fit& fit);
  [[nodiscard]] static double least_seconds(const forecast::Observations& seen, const Fit& fit);
  static void learn(const forecast::Observations& seen, std::size_t families, Fit& fit);
  [[nodiscard]] static bool recall(const std::string& key, const forecast::Observations& seen, Fit& fit);
  static void keep(const std::string& key, const Fit& fit);
  [[nodiscard]] Fit fit(const Profile& profile, const std::string& kernel,
                        forecast::FitAnnouncement& announcement) const;
  [[nodiscard]] double log_seconds(const Fit& fit, const forecast::Workload& workload) const;
  static void estimate_steps(forecast::Workload& workload, double differing_rows);

  DeviceProperties properties_;
  FitOptions options_;                                  // what is forecast
  FitOptions from_;                                     // the records that it is fitted to
  std::vector<forecast::ConversionCosts> conversions_;  // of names_; nothing where the profile does not tell
  std::vector<std::string> names_;
  std::vector<const formats::KernelInfo*> infos_;
  std::vector<Fit> fits_;
  Eigen::MatrixXd disagreement_;
};

}  // namespace sparsecast::planning
