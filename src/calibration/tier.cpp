#include <sparsecast/error.hpp>

#include "fields/tier.hpp"

namespace sparsecast {
std::string_view to_string(Tier tier) { return word_of(tier); }

Tier tier_from(std::string_view word) {
  for (const auto& [tier, known] : Words<Tier>::table)
    if (known == word) return tier;
  throw Error(ErrorCode::bad_input, "forecasts are not based on '" + std::string(word) + "'");
}
}  // namespace sparsecast
