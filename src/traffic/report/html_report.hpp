#pragma once
// Pages of HTML without anything from elsewhere: the program with its hot lines, two versions side by side.

#include <string>

#include "traffic/report/compare.hpp"
#include "traffic/run/traffic.hpp"

namespace sparsecast::traffic {

/// Regions, then every line of every file with its bytes, the more the warmer. Reads the files again.
std::string to_html(const ProgramTraffic& traffic);
/// Regions of both, then the two programs side by side: lines that only one has, and lines that move more in it, are
/// coloured. Reads both files again.
std::string to_html(const ProgramTraffic& first, const ProgramTraffic& second, const Comparison& comparison);

}  // namespace sparsecast::traffic
