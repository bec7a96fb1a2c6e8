#pragma once
// Fitted kernels in the home folder, one file each, named by a hash of all numbers that the fit depends on: a changed
// profile, or a changed model, simply has another name. A file that cannot be read is fitted anew.

#include <optional>
#include <string>

#include "forecast/learned/kernel_fit.hpp"

namespace sparsecast::forecast {
/// Hash of the observations, the terms' prior and the model's version, as 32 hexadecimal digits.
std::string fit_key(const Observations& observations, const TermChoice& terms);
std::optional<KernelFit> cached_fit(const std::string& key);
/// A folder that cannot be written is no error: the next call fits again.
void cache_fit(const std::string& key, const KernelFit& fit) noexcept;
}  // namespace sparsecast::forecast
