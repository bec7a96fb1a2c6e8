#pragma once
// Counts as indices and as numbers, in the code that weighs cuts; the time of what is never done.

#include <cstddef>
#include <cstdint>
#include <limits>

namespace sparsecast::planning {

inline constexpr double never = std::numeric_limits<double>::infinity();

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }
inline double number(std::int64_t value) { return static_cast<double>(value); }

}  // namespace sparsecast::planning
