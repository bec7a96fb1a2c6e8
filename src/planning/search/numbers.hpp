#pragma once
// Counts as indices and as numbers, in the code that weighs cuts; the time of what is never done.

#include <limits>

#include "forecast/machines/ranking.hpp"

namespace sparsecast::planning {
inline constexpr double never = std::numeric_limits<double>::infinity();
inline const double two_sided_90 = forecast::interval_deviations / 2;
// Of the logarithm of a time over another: the least doubt, where one kernel takes both.
inline const double least_disagreement = constants::worthwhile;

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }
inline double number(std::int64_t value) { return static_cast<double>(value); }
}  // namespace sparsecast::planning
