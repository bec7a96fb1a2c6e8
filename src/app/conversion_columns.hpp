#pragma once
// Conversions in tables and documents: what is not known is a question mark, or null, and never 0.

#include <cstdint>
#include <optional>
#include <string>

#include "base/text.hpp"

namespace sparsecast::app {
inline std::string seconds_text(const std::optional<double>& seconds) {
  if (!seconds) return "?";
  return *seconds > 0 ? base::format_seconds(*seconds) : "–";
}

inline std::string total_heading(std::int64_t iterations) {
  return "conversion and " + base::format_count(iterations) + (iterations == 1 ? " product" : " products");
}
}  // namespace sparsecast::app
