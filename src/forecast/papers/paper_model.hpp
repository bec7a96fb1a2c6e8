#pragma once
// The models of Guo, Wang & Chen (2014) and Wang, Gu & Li (2017) on any device: the forms of paper_forms.hpp, fitted
// to the benchmark matrices of one kind and fed with the two numbers that the papers take from a matrix.

#include <sparsecast/forecast.hpp>

namespace sparsecast::forecast {
/// `kind` is the benchmark matrices' ("constant" for guo, "normal" and "uniform" for wang); `with_coo` adds the forms
/// that only Guo has, COO and HYB.
std::unique_ptr<FittedModel> fit_paper_model(std::string_view name, std::string_view kind, bool with_coo,
                                             const Profile& profile, const FitOptions& options);
}  // namespace sparsecast::forecast
