#pragma once
// The ranking of machines as a picture: a bar for each with its interval, times on a logarithmic axis.

#include <sparsecast/answers/compare.hpp>
#include <string>
#include <vector>

namespace sparsecast::app {
/// An SVG document; one line per machine, seconds of one product.
std::string ranking_svg(const std::string& title, const std::vector<MachinePlace>& ranking);
}  // namespace sparsecast::app
