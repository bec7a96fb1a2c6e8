#pragma once
// What a program moves, for people and for programs.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "traffic/traffic.hpp"

namespace sparsecast::traffic {

/// docs/schemas/traffic.schema.json, without its "schema".
nlohmann::ordered_json to_json(const ProgramTraffic& traffic);
/// The tree of regions, an analysis of each in the form of the paper's Figure 1, and the lines that move most.
std::string to_text(const ProgramTraffic& traffic);

}  // namespace sparsecast::traffic
