#pragma once
// What a program moves, for people and for programs.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/page/page.hpp"
#include "traffic/report/compare.hpp"
#include "traffic/run/traffic.hpp"

namespace sparsecast::traffic {

/// What the abbreviations of the report mean: short name, meaning.
std::vector<std::pair<std::string, std::string>> legend();
/// A line for each.
std::string legend_text();

/// docs/schemas/traffic.schema.json, without its "schema".
nlohmann::ordered_json to_json(const ProgramTraffic& traffic);
/// docs/schemas/traffic-compare.schema.json, without its "schema".
nlohmann::ordered_json to_json(const ProgramTraffic& first, const ProgramTraffic& second, const Comparison& comparison);

/// The tree of regions, an analysis of each in the form of the paper's Figure 1, and the lines that move most.
std::string to_text(const ProgramTraffic& traffic, const base::Layout& page = {});
std::string to_text(const ProgramTraffic& first, const ProgramTraffic& second, const Comparison& comparison,
                    const base::Layout& page = {});

}  // namespace sparsecast::traffic
