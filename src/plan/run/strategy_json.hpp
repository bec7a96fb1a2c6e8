#pragma once
// A Strategy as JSON: what `sparsecast optimize --json` prints and what a saved plan holds.

#include <nlohmann/json_fwd.hpp>
#include <sparsecast/plan.hpp>

namespace sparsecast::planning {

[[nodiscard]] nlohmann::ordered_json strategy_to_json(const Strategy& strategy);
/// Error bad_input, with `file` as its place, where something is missing, of another type or out of range.
[[nodiscard]] Strategy strategy_from_json(const nlohmann::ordered_json& json, const std::string& file);

}  // namespace sparsecast::planning
