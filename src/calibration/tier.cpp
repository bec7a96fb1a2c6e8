#include "calibration/tier.hpp"

#include <fmt/format.h>
#include <sparsecast/error.hpp>

namespace sparsecast::calibration {
Tier tier_of(std::string_view word) {
  for (const auto& [tier, known] : Words<Tier>::table)
    if (known == word) return tier;
  throw Error(ErrorCode::bad_input, fmt::format("no profile rests on '{}'", word));
}
}  // namespace sparsecast::calibration
