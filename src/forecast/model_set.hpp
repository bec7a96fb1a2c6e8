#pragma once
// Several models fitted to one profile, and what they say of a matrix together: the forecast of every kernel.

#include <sparsecast/forecast.hpp>

namespace sparsecast::forecast {
class ModelSet {
 public:
  /// `model`: a name, or "best" / "all" for every model of the table. Error failed where the profile has no records for
  /// that precision and number of threads; double will do for single, but for the papers' models, and of threads one
  /// count below and one above (thread_counts.hpp). Of a device by its data sheet: the model across machines; of a GPU
  /// also "sparsecast", from the priors of its terms.
  ModelSet(const std::string& model, const Profile& profile, const FitOptions& options);

  /// Every model's forecast of one kernel; `launch_s` as in FittedModel::forecast_at.
  [[nodiscard]] std::vector<Forecast> forecasts(const Structure& structure, const std::string& kernel,
                                                double launch_s = 0) const;
  /// One forecast per kernel, of the first model that has one (model_names() is in order of preference); fastest first,
  /// and behind all others those that the formula of their model does not reach.
  [[nodiscard]] std::vector<Forecast> best(const Structure& structure, const std::vector<std::string>& kernels) const;
  /// Every model's forecast of every kernel; fastest first.
  [[nodiscard]] std::vector<Forecast> all(const Structure& structure, const std::vector<std::string>& kernels) const;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  [[nodiscard]] std::optional<Forecast> preferred(const Structure& structure, const std::string& kernel) const;

  std::vector<std::pair<std::string, std::unique_ptr<FittedModel>>> models_;
  int threads_;  // of the host, which forecasts are asked for on
};

/// Kernels that a profile has records for, in the order of the kernel table, others behind.
/// `model`: of a GPU by its data sheet, sparsecast has forecasts for the kernels whose work is counted.
std::vector<std::string> kernels_of(const Profile& profile, const std::string& model = "best");

/// Whether that model forecasts from counted work and a GPU's description alone, as nothing was measured there.
bool counts_alone(const std::string& model, const Profile& profile);

/// Of forecasts, fastest first, those that take ten times as long as the first or longer: not worth making the format.
std::vector<Forecast> far_behind(const std::vector<Forecast>& forecasts);

/// What a host's formats store and skip follows from the lengths of all rows: Error bad_input for a host's profile and
/// a structure without them.
void require_row_lengths(const Structure& structure, const Profile& profile);
}  // namespace sparsecast::forecast
