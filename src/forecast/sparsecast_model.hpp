#pragma once
// The product's own model, `sparsecast`: for every kernel of a profile, physical terms and a learned residual
// (kernel_fit.hpp). Works on every profile, calibrated here or imported, and on feature records as on matrices.

#include <sparsecast/forecast.hpp>

namespace sparsecast::forecast {
/// Fits every kernel that has records in that precision and thread count. Fits are kept in the home folder under the
/// hash of what they depend on, so that an unchanged profile is fitted once.
std::unique_ptr<FittedModel> fit_sparsecast_model(const Profile& profile, const FitOptions& options);

/// The same model for judging: forecast() of a structure is made by a fit that has not seen the benchmark matrices
/// whose `column` equals the structure's name. Not cached. `names`: the structures that will be asked for.
/// Error usage for a column that profiles do not keep (they keep "twin_of" and "matrix").
std::unique_ptr<FittedModel> fit_sparsecast_model_without(const Profile& profile, const FitOptions& options,
                                                          const std::string& column,
                                                          const std::vector<std::string>& names);
}  // namespace sparsecast::forecast
