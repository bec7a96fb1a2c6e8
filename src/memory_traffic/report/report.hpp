#pragma once
// What a program moves, in words and tables for people.

#include <sparsecast/program_traffic.hpp>
#include <string>

#include "base/page/text_layout.hpp"

namespace sparsecast::memory_traffic {
/// What the abbreviations of the report mean, a line for each.
std::string legend_text();

/// The tree of regions, an analysis of each in the form of the paper's Figure 1, and the lines that move most.
std::string to_text(const ProgramTraffic& traffic, const base::Layout& page = {});
std::string to_text(const TrafficComparison& comparison, const base::Layout& page = {});
}  // namespace sparsecast::memory_traffic
