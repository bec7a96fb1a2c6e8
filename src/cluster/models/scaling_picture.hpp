#pragma once
// Time against P in characters, one letter per scheme, both axes logarithmic.

#include <sparsecast/cluster_forecast.hpp>
#include <string>
#include <vector>

namespace sparsecast::cluster {
/// Time against P in characters, one letter per scheme, both axes logarithmic.
std::string scaling_picture(const std::vector<ScalingPoint>& scaling, int height = 14);
}  // namespace sparsecast::cluster
