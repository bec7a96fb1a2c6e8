#pragma once
// Fitted conversions in the home folder: one file for all kernels of a precision and a number of threads, since each is
// only a few numbers and a search of some milliseconds.

#include <map>
#include <string>

#include "forecast/physical/conversion.hpp"

namespace sparsecast::forecast {
/// Hash of what was measured of every kernel, by name, and of what a core costs.
[[nodiscard]] std::string conversions_key(const std::map<std::string, MeasuredConversions>& measured,
                                          const CoreCosts& core);
/// The fits under that key; empty where there are none or they do not read.
[[nodiscard]] std::map<std::string, ConversionFit> cached_conversions(const std::string& key);
/// A folder that cannot be written is no error: the next call fits again.
void cache_conversions(const std::string& key, const std::map<std::string, ConversionFit>& fits) noexcept;
}  // namespace sparsecast::forecast
