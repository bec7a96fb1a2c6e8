#pragma once
// Counts as indices and as numbers, in the code that weighs cuts; the time of what is never done.

#include <cstddef>
#include <cstdint>
#include <limits>

namespace sparsecast::planning {
inline constexpr double never = std::numeric_limits<double>::infinity();
inline constexpr double two_sided_90 = 1.645;  // standard deviations of a normal distribution
// Of the logarithm of a time over another: the least doubt, where one kernel takes both.
inline constexpr double least_disagreement = 0.1;

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }
inline double number(std::int64_t value) { return static_cast<double>(value); }
}  // namespace sparsecast::planning
